import { ClientError } from '@berth/client/browser';
import { formatBytes } from '@berth/contract';
import type { FileLimits } from './judge.ts';
import { scriptMissing } from './script-missing.ts';
import { filesSource, type NamedFile, type Source } from './sources.ts';

/** The limits of an archive if those of the deploy are unknown. */
const MAX_ENTRIES = 100_000;
const MAX_BYTES = 20 * 1024 ** 3;

/**
 * Opens a zip archive. Only its directory is read; the files are unpacked when they are listed.
 *
 * @param limits The limits of the deploy; `null` if they are unknown.
 * @throws ClientError: `folder` if it is no archive or is encrypted; `refused` if it would unpack to more than the limits; `network` if
 *   the code that reads archives cannot be loaded.
 */
export async function zipSource(file: File, limits: FileLimits | null): Promise<Source> {
  const { BlobReader, configure, ZipReader } = await import('@zip.js/zip.js').catch(scriptMissing);
  configure({ useWebWorkers: false });
  const reader = new ZipReader(new BlobReader(file), { checkOverlappingEntry: true });
  const entries = await reader.getEntries().catch((cause: unknown) => {
    throw new ClientError('folder', `${file.name} is not a zip archive, or it is damaged.`, { cause });
  });
  const files = entries.filter((entry) => !entry.directory);
  if (files.some(({ encrypted }) => encrypted))
    throw new ClientError('folder', `${file.name} has a password. Unpack it, and drop the folder.`);
  refuseBeyond(files, limits);
  return filesSource(
    files.map((entry): NamedFile => ({
      path: entry.filename,
      async open(signal) {
        const { readable, writable } = limitBytes(entry.uncompressedSize);
        const content = new Response(readable).blob();
        const unpacking = entry.getData(writable, { signal, checkSignature: true });
        const [blob] = await Promise.all([content, unpacking]).catch((cause: unknown) => {
          signal.throwIfAborted();
          throw new ClientError('folder', `${entry.filename}: the file in the archive is damaged.`, {
            file: entry.filename,
            cause,
          });
        });
        return new File([blob], entry.filename, { lastModified: entry.lastModDate.getTime() });
      },
    })),
  );
}

function refuseBeyond(files: readonly { uncompressedSize: number }[], limits: FileLimits | null): void {
  const maxFiles = limits?.maxFilesCount ?? MAX_ENTRIES;
  const maxBytes = limits?.maxTotalSize ?? MAX_BYTES;
  const bytes = files.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (files.length <= maxFiles && bytes <= maxBytes) return;
  const [limit, max] =
    files.length > maxFiles ? (['maxFilesCount', maxFiles] as const) : (['maxTotalSize', maxBytes] as const);
  throw new ClientError('refused', `The archive unpacks to ${files.length} files of ${formatBytes(bytes)}.`, {
    code: 'payload_too_large',
    status: 413,
    details: { limit, max },
  });
}

/** A stream that fails if there are more bytes than the archive says. */
function limitBytes(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new Error('The entry is larger than its directory says.');
      controller.enqueue(chunk);
    },
  });
}
