import { PassThrough, type Readable } from 'node:stream';
import type { Download } from '@berth/core';
import { ZipFile } from 'yazl';
import type { OpenFile } from './open-file.ts';

const FILE_MODE = 0o100644;

/** Opens a zip archive of a deployment, whose files are stored. Its size is known before the first byte. */
export async function openZip(
  { files, created }: Download,
  open: OpenFile,
): Promise<{ bytes: Readable; size: number }> {
  const zip = new ZipFile();
  const bytes = new PassThrough();
  zip.on('error', (error: Error) => bytes.destroy(error));
  for (const [path, file] of files)
    zip.addReadStreamLazy(path, { size: file.length, mtime: created, mode: FILE_MODE, compress: false }, (callback) =>
      callback(
        null,
        open(file).once('error', (error) => bytes.destroy(error)),
      ),
    );
  const size = await new Promise<number>((resolve) => {
    const end = zip.end.bind(zip) as (options: object, onSize: (size: number) => void) => void;
    end({}, resolve);
  });
  zip.outputStream.pipe(bytes);
  return { bytes, size };
}
