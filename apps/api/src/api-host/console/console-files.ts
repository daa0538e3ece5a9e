import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** A file of the console, with its compressed forms. */
export interface ConsoleFile {
  type: string;
  etag: string;
  bytes: Buffer;
  /** The compressed bytes, if they are smaller. */
  encoded: { br?: Buffer; gzip?: Buffer };
}

export interface ConsoleFiles {
  /** The document of every page. */
  shell: ConsoleFile;
  /** The other files, by their names below `/assets/`. A name contains a hash of the content, so a file never changes. */
  assets: ReadonlyMap<string, ConsoleFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/**
 * Reads the files of the console into memory: less than 2 MB.
 *
 * @param folder The folder that the build of the console wrote, or `null` for no console.
 * @returns `null` if there is no console.
 */
export function readConsoleFiles(folder: string | null): ConsoleFiles | null {
  // The build writes the hash last, so that a build that was interrupted does not count.
  if (folder === null || !existsSync(join(folder, '.sources.sha256'))) return null;
  const names = readdirSync(join(folder, 'assets')).filter((name) => extname(name) in TYPES);
  return {
    shell: readFile(folder, 'index.html'),
    assets: new Map(names.map((name) => [name, readFile(join(folder, 'assets'), name)])),
  };
}

function readFile(folder: string, name: string): ConsoleFile {
  const path = join(folder, name);
  const bytes = readFileSync(path);
  const br = readIfPresent(`${path}.br`);
  const gzip = readIfPresent(`${path}.gz`);
  return {
    type: TYPES[extname(name)]!,
    etag: `W/"${hash('sha256', bytes, 'base64url')}"`,
    bytes,
    encoded: { ...(br && { br }), ...(gzip && { gzip }) },
  };
}

function readIfPresent(path: string): Buffer | null {
  return existsSync(path) ? readFileSync(path) : null;
}
