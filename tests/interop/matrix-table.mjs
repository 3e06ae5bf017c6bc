// The results as Markdown. A cell holds one mark for each of its tests, in the order the text above the table tells.
const MARKS = ['<!-- written by tests/interop/matrix.mjs: begin -->', '<!-- end -->'];

export const EMPTY = `${MARKS.join('\n')}\n`;

// `text` with the part between the markers replaced.
export function between(text, part) {
  const [from, to] = MARKS.map((m) => text.indexOf(m));
  if (from < 0 || to < from) throw new Error(`no ${MARKS.join(' … ')}`);
  return `${text.slice(0, from)}${MARKS[0]}\n${part}\n${text.slice(to)}`;
}

function table(groups, features, cells, note) {
  const mark = (feature, column) => {
    const cell = cells.find((c) => c.feature === feature && c.column === column);
    return cell.why ? `–<sup>${note(cell.why)}</sup>` : cell.ok ? '✓' : '✗';
  };
  const row = (feature) => groups.map(({ columns }) => {
    const marks = columns.map((c) => mark(feature, c));
    return marks[0].startsWith('–') && marks.every((m) => m === marks[0]) ? marks[0].replace('–', 'n/a') : marks.join(' ');
  });
  const line = (words) => `| ${words.join(' | ')} |`;
  return [line(['', ...groups.map((g) => g.title)]), line(['---', ...groups.map(() => '---')]), ...features.map((f) => line([f.name, ...row(f)]))].join('\n');
}

const grouped = (columns, title) => [...Map.groupBy(columns, title)].map(([name, its]) => ({ title: name, columns: its }));
const REVISION = { legacy: '2025-11-25', stateless: '2026-07-28' };
const CLIENT = { LL: 'two 2025-11-25', NN: 'two 2026-07-28', LN: 'one of each' };

export function tables({ columns, isolation, features, isolationFeatures, cells }) {
  const notes = [];
  const note = (why) => notes.includes(why) ? notes.indexOf(why) + 1 : notes.push(why);
  const [direct, through] = [true, false].map((is) => columns.filter((c) => c.direct === is));
  const text = [
    '## One client and one server', '',
    'Client → server. The four marks: stdio → stdio, stdio → HTTP, HTTP → stdio, HTTP → HTTP.', '',
    table(grouped(through, (c) => `${c.client} → ${REVISION[c.server]}`), features, cells, note), '',
    'The same tests without the gateway; the two marks: stdio, HTTP.', '',
    table(grouped(direct, (c) => c.client), features, cells, note), '',
    '## Two clients of one gateway', '',
    'Over HTTP. The four marks are the servers: 2025-11-25 over stdio and over HTTP, 2026-07-28 over stdio and over HTTP.', '',
    table(grouped(isolation.filter((c) => !c.direct), (c) => CLIENT[c.pair]), isolationFeatures, cells, note), '',
    'The same without the gateway, at a server over HTTP.', '',
    table(grouped(isolation.filter((c) => c.direct), (c) => CLIENT[c.pair]), isolationFeatures, cells, note), '',
  ];
  return [...text, ...notes.map((why, i) => `${i + 1}. ${why}`)].join('\n');
}
