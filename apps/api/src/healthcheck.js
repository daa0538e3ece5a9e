// The health check of the image. Exits with 0 if the server on this machine responds to /livez; otherwise prints the reason to
// standard error and exits with 1. It runs every 15 seconds for ever, so it is JavaScript that loads one module and reads only
// HOST and PORT: it costs little more than the start of Node.
import { connect } from 'node:net';

const TIMEOUT_MS = 5_000;

const [host] = (process.env['HOST']?.trim() || '127.0.0.1').split(',');
const port = Number(process.env['PORT']?.trim() || 4000);
if (!(Number.isInteger(port) && port > 0 && port < 65_536)) fail('PORT must be a number from 1 to 65535');

const socket = connect({ host, port });
socket.setTimeout(TIMEOUT_MS, () => fail(`no response from port ${port} in ${TIMEOUT_MS / 1000} s`));
socket.on('error', ({ message }) => fail(message));
socket.end('GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');

let response = '';
socket.setEncoding('latin1').on('data', (text) => {
  response += text;
  const [line, rest] = response.split('\r\n', 2);
  if (rest === undefined) return;
  if (line.startsWith('HTTP/1.1 200 ')) process.exit(0);
  fail(`/livez responded with "${line}"; a server that works responds with 200`);
});
socket.on('end', () => fail(`port ${port} closed the connection without a response`));

/** @param {string} reason */
function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
