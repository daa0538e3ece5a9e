import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { TAR_END, tarEntry } from '@berth/testing/tar-bytes';

const CHUNK_BYTES = 1024 ** 2;

/** A tar archive with one large file `large.bin` and an `index.html`, which exists only as a stream. */
export interface LargeArchive {
  stream: Readable;
  /** Returns the SHA-256 of the large file once the stream has ended. */
  sha256(): string;
}

/** Creates an archive whose large file has this many MiB. Its bytes differ in every part, so that none can be exchanged. */
export function largeArchive(mebibytes: number): LargeArchive {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK_BYTES, 'large file ');
  function* parts() {
    yield tarEntry({ name: 'index.html', body: 'small' });
    yield tarEntry({ name: 'large.bin', size: mebibytes * CHUNK_BYTES });
    for (let index = 0; index < mebibytes; index += 1) {
      const part = Buffer.from(chunk);
      part.writeUInt32BE(index);
      hash.update(part);
      yield part;
    }
    yield TAR_END;
  }
  return { stream: Readable.from(parts()), sha256: () => hash.digest('hex') };
}
