import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { listen, open, stop } from '@berth/testing/raw-socket';
import { expect, it, onTestFinished } from 'vitest';
import { JSON_BODY, readJsonText } from '../../src/api-host/json-body.ts';

const REQUEST_HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const CHUNKED_HEAD = `${REQUEST_HEAD}Transfer-Encoding: chunked\r\n\r\n`;

/** Sends the head of a request to a new server. @returns The received request, and the socket of the client. */
async function receiveRequest(head: string): Promise<{ req: IncomingMessage; socket: Socket }> {
  const receivedRequest = Promise.withResolvers<IncomingMessage>();
  const server = createServer((req) => receivedRequest.resolve(req));
  const { socket } = await open(await listen(server));
  onTestFinished(() => stop(server));
  socket.write(head);
  return { req: await receivedRequest.promise, socket };
}

it('T6: reading a JSON body fails when the client leaves before the end of the body', async () => {
  const { req, socket } = await receiveRequest(`${CHUNKED_HEAD}2\r\n{"\r\n`);
  const rejection = expect(readJsonText(req)).rejects.toMatchObject({ code: 'request_timeout' });
  socket.destroy();
  await rejection;
});

it('T23: a body whose declared length exceeds the maximum is refused without being read', async () => {
  const { req } = await receiveRequest(`${REQUEST_HEAD}Content-Length: 101\r\n\r\n`);
  await expect(readJsonText(req, { ...JSON_BODY, maxBytes: 100 })).rejects.toMatchObject({
    code: 'payload_too_large',
    details: { limit: 'body', max: 100 },
  });
});

it('a JSON body is decoded correctly when its pieces are cut inside characters', async () => {
  const { req, socket } = await receiveRequest(CHUNKED_HEAD);
  const text = readJsonText(req);
  for (const byte of Buffer.from('{"ä":"港"}'))
    socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]));
  socket.write('0\r\n\r\n');
  expect(await text).toBe('{"ä":"港"}');
});

it('an empty body is read as an empty text', async () => {
  const { req } = await receiveRequest(`${CHUNKED_HEAD}0\r\n\r\n`);
  expect(await readJsonText(req)).toBe('');
});
