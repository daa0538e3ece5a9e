import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import pLimit from 'p-limit';
import { divideStored, openBlock, STORED_BLOCK_BYTES } from './blocks.ts';
import { type Bucket, isMissing, missingPack, statusOf, storeFailed } from './bucket.ts';

/** Some blocks of a pack, one after another. */
interface BlockRange {
  pack: string;
  /** The number of the first block. */
  first: number;
  /** The number of blocks. The pack may end before. */
  count: number;
}

/** A block of a pack, verified. */
interface ReadBlock {
  bytes: Buffer;
  /** The bytes with their checksum. */
  stored: Buffer;
}

/**
 * Reads blocks with one request, and verifies them.
 *
 * @returns Fewer blocks if the pack ends before.
 * @throws with code `ENOENT` if the pack is missing, `EBADMSG` if the store repeatedly returns other bytes than were stored, `EIO`
 *   for other failures.
 */
export type ReadBlocks = (range: BlockRange) => Promise<ReadBlock[]>;

/** The maximum number of requests at the same time, so that memory is bounded. */
const READS_AT_ONCE = 16;
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 50;
const RANGE_NOT_SATISFIABLE = 416;

/** @param keyOf Returns the key of the object of a pack. */
export function createRangeReader(bucket: Bucket, keyOf: (pack: string) => string): ReadBlocks {
  const limit = pLimit(READS_AT_ONCE);
  return (range) => limit(() => readWithRetries(bucket, keyOf(range.pack), range));
}

async function readWithRetries(bucket: Bucket, key: string, range: BlockRange): Promise<ReadBlock[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return verify(range, await readOnce(bucket, key, range));
    } catch (error) {
      if (isMissing(error)) throw missingPack(range.pack);
      if (statusOf(error) === RANGE_NOT_SATISFIABLE) return [];
      // The client has repeated requests that were refused. A body that was cut or changed is repeated here.
      if (attempt === ATTEMPTS || statusOf(error) !== null)
        throw error instanceof ChangedBytesError ? error : storeFailed(`read pack ${range.pack}`, error);
      await sleep(FIRST_PAUSE_MS * 2 ** attempt * Math.random());
    }
  }
}

async function readOnce({ client, name }: Bucket, key: string, { first, count }: BlockRange): Promise<Buffer> {
  const start = first * STORED_BLOCK_BYTES;
  const end = start + count * STORED_BLOCK_BYTES - 1;
  const command = new GetObjectCommand({ Bucket: name, Key: key, Range: `bytes=${start}-${end}` });
  const { Body: body, ContentRange: contentRange = '' } = await client.send(command);
  if (!body) throw new Error('the response has no body');
  const { buffer, byteOffset, byteLength } = await body.transformToByteArray();
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange) ?? [];
  if (
    Number(from) !== start ||
    Number(to) !== Math.min(end, Number(total) - 1) ||
    bytes.length !== Number(to) - start + 1
  )
    throw new Error(
      `the response is not the range that was requested, but "${contentRange}" with ${bytes.length} bytes`,
    );
  return bytes;
}

/** The store has returned other bytes than were stored. */
class ChangedBytesError extends Error {
  readonly code = 'EBADMSG';
}

function verify({ pack, first }: BlockRange, received: Buffer): ReadBlock[] {
  return divideStored(received).map((stored, i) => {
    const bytes = openBlock(pack, first + i, stored);
    if (!bytes) throw new ChangedBytesError(`Block ${first + i} of pack ${pack} does not match its checksum`);
    return { bytes, stored };
  });
}
