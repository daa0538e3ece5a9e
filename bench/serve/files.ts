import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const KiB = 1024;
const MiB = 1024 * KiB;

/** The platform domain, which follows the name of each site. */
export const PLATFORM_DOMAIN = 'sites.test';

const PAGE_BYTES = 4 * KiB;

/** Returns the front page of a site: 4 KB of HTML that depend on the number. */
export function page(site: number): Buffer {
  const text = `<!doctype html><html lang="en"><title>Site ${site}</title><p>${`A page of site ${site}. `.repeat(400)}`;
  return Buffer.from(text.slice(0, PAGE_BYTES));
}

/** Returns the files of the site that most rows request. */
export function siteFiles(): Map<string, Buffer> {
  return new Map([
    ['index.html', page(0)],
    ['app.js', script(100 * KiB)],
    ['film.mp4', randomBytes(1.5 * MiB)],
  ]);
}

/** Name of a file whose download no client completes. */
export const LARGE_FILE = 'large.bin';
export const largeFile = (): Buffer => randomBytes(32 * MiB);

/** Returns JavaScript whose statements are similar but not equal, as in real programs. */
function script(bytes: number): Buffer {
  const lines = Array.from({ length: bytes / 32 }, (_, i) => {
    const name = randomBytes(4).toString('hex');
    return `export function f${i}(a, b) { return a.${name} + b.call(${i}); }`;
  });
  return Buffer.from(lines.join('\n').slice(0, bytes));
}

/** Writes a file of a site into the folder that is named after its host, where file servers expect it. */
export async function writeSiteFile(tree: string, host: string, path: string, bytes: Buffer): Promise<string> {
  const name = join(tree, host, path);
  await mkdir(dirname(name), { recursive: true });
  await writeFile(name, bytes);
  return name;
}
