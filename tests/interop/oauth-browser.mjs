// A browser without a person: gets a page, keeps cookies, follows redirects, and submits the forms that pages have.
// usage: oauth-browser.mjs URL
const jar = new Map();

async function visit(url, body) {
  const cookies = jar.get(new URL(url).host) ?? new Map();
  jar.set(new URL(url).host, cookies);
  const answer = await fetch(url, { method: body ? 'POST' : 'GET', body, redirect: 'manual',
    headers: { cookie: [...cookies].map(([k, v]) => `${k}=${v}`).join('; '), accept: 'text/html' } });
  for (const line of answer.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
    if (value) cookies.set(name, value);
    else cookies.delete(name);
  }
  return answer;
}

const attribute = (tag, name) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1].replaceAll('&amp;', '&');
function form(page) {
  const found = /<form[^>]*method="post"[^>]*>[^]*?<\/form>/.exec(page)?.[0];
  if (!found) return null;
  const fields = [...found.matchAll(/<input[^>]*>/g)].map(([tag]) => [attribute(tag, 'name'), attribute(tag, 'value') ?? '']);
  return { action: attribute(found, 'action'), fields: new URLSearchParams(fields.filter(([name]) => name)) };
}

export async function browse(start) {
  for (let url = start, body, pages = 0; pages < 20; pages++) {
    const answer = await visit(url, body), place = answer.headers.get('location'), page = await answer.text();
    body = undefined;
    if (place) {
      url = new URL(place, url).href;
      continue;
    }
    const next = form(page);
    if (!next) return { status: answer.status, url, page };
    [url, body] = [new URL(next.action, url).href, next.fields];
  }
  throw new Error(`${start}: too many pages`);
}

if (import.meta.filename === process.argv[1]) {
  const { status, url, page } = await browse(process.argv[2]);
  if (status >= 400) console.error(`oauth-browser: ${url}: ${status} ${page.replace(/\s+/g, ' ')}`);
  process.exit(status < 400 ? 0 : 1);
}
