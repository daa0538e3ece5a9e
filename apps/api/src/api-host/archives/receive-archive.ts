import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DeployLimits } from '@berth/contract';
import {
  type ArchiveDeploy,
  clientOf,
  inFairTurn,
  isTurnOver,
  limitsOf,
  maxFileParts,
  payloadTooLarge,
  type ProcedureContext,
  type ServiceError,
} from '@berth/core';
import { boundMemoryUntilClosed } from '../../memory.ts';
import { reserveMemory } from '../body-memory.ts';
import { chunksOf } from '../body-chunks.ts';
import { inClientTurn } from '../client-turns.ts';
import type { ArchiveType } from './archive-type.ts';
import { decompress, DECOMPRESSION_BYTES } from './decompress.ts';
import type { EntrySink } from './entry-sink.ts';
import { readTar } from './read-tar.ts';
import { readZip } from './read-zip.ts';
import { SpooledFile } from './spooled-file.ts';

/** The approximate memory that one entry takes until the response is sent. */
const ENTRY_MEMORY_BYTES = 1024;
const RESERVE_STEP_ENTRIES = 16;
/** The size of the headers of one entry, with a path of 1,024 bytes and some extended attributes. */
const ENTRY_HEAD_BYTES = 4 * 1024;
/** The size of the padding at the end of an archive. */
const PADDING_BYTES = 1024 * 1024;

/** Returns the maximum size of an archive, compressed or not. Source: security T4, T41. */
export function maxArchiveBytes(limits: DeployLimits): number {
  return limits.maxTotalSize + maxFileParts(limits) * ENTRY_HEAD_BYTES + PADDING_BYTES;
}

/**
 * Reads the archive in a body and passes its entries on. Memory is bounded: the body is read no faster than its files are
 * stored, except that a zip is first written to a temporary file in `folder`. Returns when every entry was consumed, even if
 * the client left after it sent the last byte.
 *
 * @throws `validation_failed` for an archive that is damaged or incomplete; `payload_too_large` as soon as it exceeds the
 *   plan; `request_timeout` if the body ended early; what the files throw. Source: api §11; security T4 to T8, T41.
 */
export async function receiveArchive(
  req: IncomingMessage,
  res: ServerResponse,
  ctx: ProcedureContext,
  type: ArchiveType,
  files: ArchiveDeploy['files'],
  folder: string,
): Promise<void> {
  const { core, caller } = ctx;
  const client = clientOf(caller);
  boundMemoryUntilClosed(res);
  const limits = limitsOf(ctx);
  const maxBytes = maxArchiveBytes(limits);
  const reserve = reserveMemory(res, core, caller);
  const pause = () => (isTurnOver() ? inFairTurn(client, () => {}) : undefined);
  const entries = createSink(files, limits, pause, reserve);
  const body = bounded(chunksOf(req, client), maxBytes, pause);
  if (type.format === 'zip')
    return readSpooled(body, folder, (file) => inClientTurn(core, caller, () => readZip(file, entries)));
  if (type.coding === null) return readTar(body, entries);
  await reserve(DECOMPRESSION_BYTES[type.coding]);
  return readTar(bounded(decompress(body, type.coding), maxBytes, pause), entries);
}

function createSink(
  files: ArchiveDeploy['files'],
  limits: DeployLimits,
  pause: EntrySink['pause'],
  reserve: (bytes: number) => Promise<void> | undefined,
): EntrySink {
  const maxBytes = maxArchiveBytes(limits);
  let count = 0;
  let bytes = 0;
  return {
    begin(name) {
      const { write, end } = files.begin(name);
      return {
        write(chunk) {
          bytes += chunk.length;
          if (bytes > maxBytes) throw tooLong(maxBytes);
          return write(chunk);
        },
        end,
      };
    },
    leaveOut: (name, kind) => files.leaveOut(name, kind),
    maxEntries: maxFileParts(limits),
    pause,
    beforeEntry() {
      count += 1;
      const memory =
        count % RESERVE_STEP_ENTRIES === 0 ? reserve(RESERVE_STEP_ENTRIES * ENTRY_MEMORY_BYTES) : undefined;
      return memory ?? pause();
    },
  };
}

/** @throws `payload_too_large` as soon as there are more than `maxBytes`. */
async function* bounded(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  pause: EntrySink['pause'],
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong(maxBytes);
    await pause();
    yield chunk;
  }
}

function tooLong(maxBytes: number): ServiceError {
  const message = `An archive must have at most ${maxBytes} bytes, also when it is unpacked.`;
  return payloadTooLarge('body', maxBytes, message);
}

async function readSpooled(
  chunks: AsyncIterable<Buffer>,
  folder: string,
  read: (file: SpooledFile) => Promise<void>,
): Promise<void> {
  const file = await SpooledFile.create(folder);
  try {
    for await (const chunk of chunks) await file.append(chunk);
    await read(file);
  } finally {
    await file.close();
  }
}
