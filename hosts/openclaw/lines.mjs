// JSON messages, one a line, from a stream and to a descriptor nobody else writes to.

// Calls onMessage(value) for each, onBad(why) for lines that are none; a line over `max` bytes is passed over.
export function readLines(stream, max, onMessage, onBad) {
  let parts = [],
    size = 0,
    skipping = false;
  const take = (piece) => {
    size += piece.length;
    skipping ||= size > max;
    if (skipping) parts = [];
    else parts.push(piece);
  };
  const finish = () => {
    const line = Buffer.concat(parts).toString('utf8').trim();
    const tooLong = skipping;
    [parts, size, skipping] = [[], 0, false];
    if (tooLong) return onBad(`a message has more than ${max} bytes`);
    if (!line) return undefined;
    let value;
    try {
      value = JSON.parse(line);
    } catch (error) {
      return onBad(error.message);
    }
    return onMessage(value);
  };
  stream.on('data', (chunk) => {
    let from = 0;
    for (let end; (end = chunk.indexOf(10, from)) >= 0; from = end + 1) {
      take(chunk.subarray(from, end));
      finish();
    }
    take(chunk.subarray(from));
  });
}

// stdout for the protocol alone: whatever else is written to it goes to stderr from now on.
export function claimStdout() {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  const put = (value) => write(`${JSON.stringify(value)}\n`);
  const whole = (message) => ({ jsonrpc: '2.0', ...message });
  return {
    send: (message) => put(whole(message)),
    sendAll: (messages) => put(messages.map(whole)),
    backlog: () => stdout.writableLength,
  };
}
