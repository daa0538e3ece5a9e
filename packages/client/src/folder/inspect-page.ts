import { open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** How much of a page is searched, in bytes. */
const MAX_SEARCHED_BYTES = 1024 * 1024;
/** How many references of a page are checked. */
const MAX_REFERENCES = 200;
/** A reference to another file, in quotation marks. */
const REFERENCE = /\b(?:src|href|poster)="([^"]{1,500})"/gi;

/**
 * Finds the files next to an HTML file to which it refers, such as style sheets and images. They are not part of the site if the
 * page is published alone.
 *
 * @returns The relative references to files that exist, each once, in the order of the page. Empty if the page cannot be read.
 */
export async function findFilesOfPage(page: string): Promise<string[]> {
  const found: string[] = [];
  const references = [...(await readStart(page)).matchAll(REFERENCE)].map(([, reference]) => reference!);
  for (const reference of [...new Set(references)].slice(0, MAX_REFERENCES)) {
    const path = pathOfReference(reference);
    if (path !== null && (await isFile(join(dirname(page), path)))) found.push(reference);
  }
  return found;
}

/** Returns the relative path to which a reference points; `null` for another site, a part of the page, and an absolute path. */
function pathOfReference(reference: string): string | null {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/|#)/i.test(reference)) return null;
  try {
    return decodeURIComponent(reference.replace(/[?#].*$/s, ''));
  } catch {
    return null;
  }
}

async function readStart(page: string): Promise<string> {
  try {
    await using file = await open(page);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_SEARCHED_BYTES), 0, MAX_SEARCHED_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
