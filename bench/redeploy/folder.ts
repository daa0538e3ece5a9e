import { randomFillSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const FILES = 10_000;
const FILE_BYTES = 3_000;

/** Returns the path of a file. Each of the 100 folders contains 100 files. */
export function pathOf(file: number): string {
  return `assets/${file % 100}/file-${file}.html`;
}

/** Writes all files with random bytes, so that the server knows none of the contents. */
export function writeFolder(folder: string): void {
  for (let i = 0; i < 100; i += 1) mkdirSync(dirname(join(folder, pathOf(i))), { recursive: true });
  for (let i = 0; i < FILES; i += 1) writeContent(folder, i);
}

/** Overwrites one file with new bytes. @returns The bytes. */
export function writeContent(folder: string, file: number): Buffer {
  const content = randomFillSync(Buffer.allocUnsafe(FILE_BYTES));
  writeFileSync(join(folder, pathOf(file)), content);
  return content;
}
