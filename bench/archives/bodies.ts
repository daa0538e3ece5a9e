import { execFileSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { deployBody, randomContents } from '../deploy/bodies.ts';

const BLOCK_BYTES = 512;
const MiB = 1024 ** 2;

/** The same files as a form and as a tar archive. */
export function smallFiles(count: number, size: number): { form: ReturnType<typeof deployBody>; tar: Buffer } {
  const contents = randomContents(count, size);
  const entries = contents.map((content, i) => tarEntry(`assets/${i % 100}/file-${i}.bin`, content));
  return { form: deployBody(contents), tar: Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]) };
}

/** Returns one file of a tar archive, with its padding. */
export function tarEntry(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc(-content.length & (BLOCK_BYTES - 1))]);
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
