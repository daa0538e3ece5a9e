import { randomFillSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES = 10_000;
const FOLDERS = 100;

/** Writes a site of 10,000 files of 1 to 20 KB with random bytes. @returns The total number of bytes. */
export function writeSite(folder: string): number {
  let bytes = 0;
  for (let i = 0; i < FOLDERS; i += 1) mkdirSync(join(folder, `section-${i}`), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<h1>10,000 files</h1>');
  for (let i = 1; i < FILES; i += 1) {
    // Most files of a site are small.
    const size = 1_024 + Math.floor(19_456 * (((i * 7_919) % 1_000) / 1_000) ** 3);
    writeFileSync(join(folder, `section-${i % FOLDERS}`, `file-${i}.html`), randomFillSync(Buffer.allocUnsafe(size)));
    bytes += size;
  }
  return bytes;
}

/** Changes one file. @returns The path of the file in the site. */
export function changeSite(folder: string, content: string): string {
  writeFileSync(join(folder, 'section-7', 'changed.html'), content);
  return 'section-7/changed.html';
}
