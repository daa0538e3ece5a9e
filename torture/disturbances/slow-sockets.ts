// Opens slow connections: node slow-sockets.ts PORT COUNT. Reports how many were open at once, and keeps them open.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const [port, count] = process.argv.slice(2).map(Number) as [number, number];
/** The server allows 2,000 connections of one address. */
const PER_ADDRESS = 500;
const BATCH = 250;
const DRIP_MS = 1_000;
const OPEN_FOR_MS = 15_000;
const HEADS = [
  'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
  'POST /deployments HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=slow\r\nContent-Length: 1000000\r\n\r\n--slow\r\n',
];

const open = new Set<Socket>();
const deadline = performance.now() + OPEN_FOR_MS;
for (let n = 0; n < count && performance.now() < deadline; n += 1) {
  const localAddress = `127.0.${1 + Math.floor(n / PER_ADDRESS / 250)}.${1 + (Math.floor(n / PER_ADDRESS) % 250)}`;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('connect', () => {
    open.add(socket);
    socket.write(HEADS[n % HEADS.length]!);
  });
  socket.on('error', () => {}).on('close', () => open.delete(socket));
  socket.resume();
  if (n % BATCH === BATCH - 1) await sleep(20);
}
setInterval(() => {
  for (const socket of open) socket.write('a');
}, DRIP_MS);
// Connections that wait in the queue of the server are open a little later.
for (let before = -1; before !== open.size; await sleep(400)) before = open.size;
process.send!({ opened: open.size });
