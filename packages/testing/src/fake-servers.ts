import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { onTestFinished } from 'vitest';
import { listen, stop } from './raw-socket.ts';

/** Starts a server with a request listener. It is closed after the test. @returns Its address. */
export async function startAnswering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => stop(server));
  return `http://127.0.0.1:${await listen(server)}`;
}

/** Returns an address where nothing listens until the end of the test: the local end of an open connection. */
export async function unreachableAddress(): Promise<string> {
  const far = createServer();
  const near = connect(await listen(far), '127.0.0.1');
  await once(near, 'connect');
  onTestFinished(() => {
    near.destroy();
    far.close();
  });
  return `http://127.0.0.1:${near.localPort}`;
}

/** More than any client reads, in bytes. */
export const ENDLESS_BYTES = 64 * 1024 ** 2;

/** Sends a text repeatedly until the client stops reading, up to {@link ENDLESS_BYTES}. @param sent Counts the bytes sent. */
export function answerEndlessly(res: ServerResponse, text: string, sent: { bytes: number }): void {
  const piece = Buffer.from(text.repeat(Math.ceil(64_000 / text.length)));
  function* pieces() {
    for (; sent.bytes < ENDLESS_BYTES; sent.bytes += piece.length) yield piece;
  }
  pipeline(pieces, res).catch(() => {});
}
