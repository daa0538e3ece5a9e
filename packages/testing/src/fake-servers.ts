import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { onTestFinished } from 'vitest';
import { listen, stop } from './raw-socket.ts';

/** Starts an HTTP server that is closed after the test. @returns The URL of the server. */
export async function startAnswering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => stop(server));
  return `http://127.0.0.1:${await listen(server)}`;
}

/** Returns a URL that refuses connections until the end of the test: an outgoing connection occupies the port. */
export async function unreachableAddress(): Promise<string> {
  const peerServer = createServer();
  const occupant = connect(await listen(peerServer), '127.0.0.1');
  await once(occupant, 'connect');
  onTestFinished(() => {
    occupant.destroy();
    peerServer.close();
  });
  return `http://127.0.0.1:${occupant.localPort}`;
}

/** More bytes than any client reads. */
export const ENDLESS_BYTES = 64 * 1024 ** 2;

/** Repeats a text until the client stops reading. @param sent Counts the bytes sent. */
export function answerEndlessly(res: ServerResponse, text: string, sent: { bytes: number }): void {
  const bodyPiece = Buffer.from(text.repeat(Math.ceil(64_000 / text.length)));
  function* endlessPieces() {
    for (; sent.bytes < ENDLESS_BYTES; sent.bytes += bodyPiece.length) yield bodyPiece;
  }
  pipeline(endlessPieces, res).catch(() => {});
}
