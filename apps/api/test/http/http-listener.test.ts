import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { HttpListener } from '../../src/http/http-listener.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };

async function listen(port = 0) {
  const listener = new HttpListener(readConfig({ HOST: '127.0.0.1', PORT: String(port) }), log);
  onTestFinished(() => listener.close());
  return { listener, port: await listener.listen() };
}

it.runIf(process.platform === 'linux')('an HTTP listener accepts several connections per event loop turn', async () => {
  const { listener, port } = await listen();
  let answeredCount = 0;
  listener.setHandler((_req, res) => {
    answeredCount += 1;
    res.end();
  });
  const sockets: Socket[] = [];
  for (let i = 0; i < 64; i += 1) sockets.push(connect(port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  sockets.forEach((socket) => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
  let rounds = 0;
  for (; answeredCount < 64; rounds += 1) await setImmediate();
  expect(rounds).toBeLessThan(50);
});

it('an HTTP listener does not share a port with another server', async () => {
  const { port } = await listen();
  await expect(listen(port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it('an HTTP listener does not open a port that another program uses', async () => {
  const program = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void program.close());
  await once(program, 'listening');
  const { port } = program.address() as { port: number };
  await expect(listen(port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it('an HTTP listener closes every connection, whichever socket accepted the connection', async () => {
  const { listener, port } = await listen();
  const sockets = Array.from({ length: 16 }, () => connect(port, '127.0.0.1'));
  const allClosed = Promise.all(sockets.map((socket) => once(socket, 'close')));
  sockets.forEach((socket) => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  await listener.close();
  await allClosed;
  await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
