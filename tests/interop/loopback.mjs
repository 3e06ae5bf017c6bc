// node --import loopback.mjs SERVER: whatever listens, listens on 127.0.0.1 at a free port, and prints "PORT n" on stderr.
import net from 'node:net';

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  const callback = args.findLast((x) => typeof x === 'function');
  this.once('listening', () => console.error(`PORT ${this.address().port}`));
  return listen.call(this, { port: 0, host: '127.0.0.1' }, callback);
};
