import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** What is in a folder: by its path, the bytes of each file. */
export type Contents = Readonly<Record<string, string | Buffer>>;

/** An empty folder that is gone after the test. */
export function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'berth-desktop-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Makes a folder with files in it, in one that is gone after the test. @returns Its path. */
export function makeSite(name: string, contents: Contents): string {
  const folder = join(makeHome(), name);
  writeContents(folder, contents);
  return folder;
}

/** Writes files, beside what is there. */
export function writeContents(folder: string, contents: Contents): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, bytes] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

/** As build tools do it: deletes the folder, and writes it anew, file by file. */
export function rebuild(folder: string, contents: Contents): void {
  rmSync(folder, { recursive: true, force: true });
  writeContents(folder, contents);
}
