import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { listen, open, stop } from '@berth/testing/raw-socket';
import { expect, it, onTestFinished } from 'vitest';
import { JSON_BODY, readJsonText } from '../../src/api-host/json-body.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

/** Sends the head of a request. @returns Both ends of the connection. */
async function receive(head: string): Promise<{ req: IncomingMessage; socket: Socket }> {
  const received = Promise.withResolvers<IncomingMessage>();
  const server = createServer((req) => received.resolve(req));
  const { socket } = await open(await listen(server));
  onTestFinished(() => stop(server));
  socket.write(head);
  return { req: await received.promise, socket };
}

it('T6: reading stops with an error when the client leaves before the end of its body', async () => {
  const { req, socket } = await receive(`${CHUNKED}2\r\n{"\r\n`);
  const text = expect(readJsonText(req)).rejects.toMatchObject({ code: 'request_timeout' });
  socket.destroy();
  await text;
});

it('T23: a declared length above the maximum is refused without reading', async () => {
  const { req } = await receive(`${HEAD}Content-Length: 101\r\n\r\n`);
  await expect(readJsonText(req, { ...JSON_BODY, maxBytes: 100 })).rejects.toMatchObject({
    code: 'payload_too_large',
    details: { limit: 'body', max: 100 },
  });
});

it('decodes a body in many pieces that are cut inside characters', async () => {
  const { req, socket } = await receive(CHUNKED);
  const text = readJsonText(req);
  for (const byte of Buffer.from('{"ä":"港"}'))
    socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]));
  socket.write('0\r\n\r\n');
  expect(await text).toBe('{"ä":"港"}');
});

it('an empty body counts as no body', async () => {
  const { req } = await receive(`${CHUNKED}0\r\n\r\n`);
  expect(await readJsonText(req)).toBe('');
});
