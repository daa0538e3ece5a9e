import { execFileSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tar } from '@berth/testing/tar-bytes';
import { deployBody, randomContents } from '../deploy/bodies.ts';

const MiB = 1024 ** 2;

/** The same files as a form and as a tar archive. */
export function smallFiles(count: number, size: number): { form: ReturnType<typeof deployBody>; tar: Buffer } {
  const contents = randomContents(count, size);
  const entries = contents.map((body, i) => ({ name: `assets/${i % 100}/file-${i}.bin`, body }));
  return { form: deployBody(contents), tar: tar(entries) };
}

/** Creates a zip archive of `size` bytes of text in files of 64 MiB, with the program zip. @returns Its path. */
export async function createZip(folder: string, size: number): Promise<string> {
  const files = join(folder, 'files');
  await mkdir(files);
  for (let i = 0; i < size / (64 * MiB); i += 1)
    await pipeline(Readable.from(textOf(64 * MiB)), createWriteStream(join(files, `${i}.txt`)));
  execFileSync('zip', ['-rq', '-6', join(folder, 'files.zip'), 'files'], { cwd: folder });
  await rm(files, { recursive: true });
  return join(folder, 'files.zip');
}

/** Yields hexadecimal text, which deflate halves. */
function* textOf(size: number): Generator<string> {
  const bytes = Buffer.allocUnsafe(32 * 1024);
  for (let made = 0; made < size; made += 2 * bytes.length) yield randomFillSync(bytes).toString('hex');
}
