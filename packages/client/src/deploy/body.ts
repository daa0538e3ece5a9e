import type { BerthClient } from '../client.ts';
import { createTimeSlices } from '../time-slices.ts';
import type { UploadProgress } from './upload-progress.ts';

/** The minimum size of the pieces of a body, in bytes. Smaller pieces are combined. */
const MIN_PIECE_BYTES = 64 * 1024;

/**
 * Sends a request whose body is streamed: pieces are produced only as fast as the server accepts them.
 *
 * @param pieces Produces the body. The generator is always closed at the end.
 * @param progress Counts the bytes that were passed to the connection.
 * @throws the error of `pieces`, or ClientError.
 */
export async function sendBody(
  client: BerthClient,
  path: string,
  init: { method: string; headers: Record<string, string>; signal: AbortSignal },
  pieces: AsyncGenerator<Uint8Array>,
  progress: Pick<UploadProgress, 'onBytes'>,
): Promise<Response> {
  let failure: { thrown: unknown } | null = null;
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of yieldingToEventLoop(combineSmallPieces(pieces), init.signal)) {
        // The receiver may take over the memory of the piece.
        const { length } = piece;
        yield piece;
        progress.onBytes(length);
      }
    } catch (thrown) {
      failure = { thrown };
      throw thrown;
    }
  }
  try {
    return await client.request(path, { ...init, body: ReadableStream.from(body()), duplex: 'half' } as RequestInit);
  } catch (thrown) {
    const { thrown: cause } = failure ?? { thrown };
    throw cause;
  } finally {
    await pieces.return(undefined);
  }
}

async function* combineSmallPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let buffered: Uint8Array[] = [];
  let bufferedBytes = 0;
  for await (const piece of pieces) {
    buffered.push(piece);
    bufferedBytes += piece.length;
    if (bufferedBytes < MIN_PIECE_BYTES) continue;
    yield buffered.length === 1 ? piece : Buffer.concat(buffered);
    buffered = [];
    bufferedBytes = 0;
  }
  if (bufferedBytes > 0) yield Buffer.concat(buffered);
}

/** Yields to the event loop regularly, because reading small files and writing to a fast connection are synchronous. */
async function* yieldingToEventLoop(
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const slices = createTimeSlices(signal);
  for await (const piece of pieces) {
    if (slices.isOver()) await slices.next();
    yield piece;
  }
}
