import type { BerthClient } from '../client.ts';
import { createTurns } from '../progress.ts';

/** Small pieces are combined until they have this many bytes. */
const TOGETHER_BYTES = 64 * 1024;

/**
 * Streams a request body with backpressure: pieces are produced only as fast as the server accepts them.
 *
 * @param pieces Produces the body. It is always closed at the end.
 * @param onBytes Called with the number of bytes handed over.
 * @throws the error of `pieces`, or ClientError.
 */
export async function sendBody(
  client: BerthClient,
  path: string,
  init: { method: string; headers: Record<string, string>; signal: AbortSignal },
  pieces: AsyncGenerator<Uint8Array>,
  onBytes: (bytes: number) => void,
): Promise<Response> {
  let fault: { thrown: unknown } | null = null;
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of inTurns(together(pieces), init.signal)) {
        yield piece;
        onBytes(piece.length);
      }
    } catch (thrown) {
      fault = { thrown };
      throw thrown;
    }
  }
  try {
    return await client.request(path, { ...init, body: ReadableStream.from(body()), duplex: 'half' } as RequestInit);
  } catch (thrown) {
    const { thrown: cause } = fault ?? { thrown };
    throw cause;
  } finally {
    await pieces.return(undefined);
  }
}

/** Combines small pieces into larger ones. */
async function* together(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    heldBytes += piece.length;
    if (heldBytes < TOGETHER_BYTES) continue;
    yield held.length === 1 ? piece : Buffer.concat(held);
    held = [];
    heldBytes = 0;
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}

/** Yields to the event loop regularly. Neither reading small files nor a connection that accepts everything at once does. */
async function* inTurns(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const turns = createTurns(signal);
  for await (const piece of pieces) {
    if (turns.isOver()) await turns.next();
    yield piece;
  }
}
