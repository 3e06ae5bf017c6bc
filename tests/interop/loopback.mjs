// node --import loopback.mjs SERVER: whatever listens, listens on 127.0.0.1 only, and prints "PORT n" on stderr.
import net from 'node:net';

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (first, ...rest) {
  const callback = rest.findLast((x) => typeof x === 'function');
  const port = Number(typeof first === 'object' ? first.port : first);
  this.once('listening', () => console.error(`PORT ${this.address().port}`));
  return listen.call(this, { port, host: '127.0.0.1' }, callback);
};
