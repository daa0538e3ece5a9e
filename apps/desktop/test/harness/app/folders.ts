import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The contents of a folder: the bytes of each file, by path. */
export type Contents = Readonly<Record<string, string | Uint8Array>>;

/** Creates an empty folder that is removed after the test. @returns Its path. */
export function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'berth-desktop-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Creates a folder with files, inside a folder that is removed after the test. @returns Its path. */
export function makeSite(name: string, contents: Contents): string {
  const folder = join(makeHome(), name);
  writeContents(folder, contents);
  return folder;
}

/** Writes files into a folder, and keeps its other files. */
export function writeContents(folder: string, contents: Contents): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, bytes] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

/** Rebuilds a folder as build tools do: deletes it, then writes it again file by file. */
export function rebuild(folder: string, contents: Contents): void {
  rmSync(folder, { recursive: true, force: true });
  writeContents(folder, contents);
}
