import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The bytes of each file of a folder, by path. */
export type Contents = Readonly<Record<string, string | Uint8Array>>;

/** Creates an empty folder that is removed after the test. @returns The path of the folder. */
export function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'berth-desktop-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Creates a folder with files, in a temporary folder that is removed after the test. @returns The path of the folder. */
export function makeSite(name: string, contents: Contents): string {
  const folder = join(makeHome(), name);
  writeContents(folder, contents);
  return folder;
}

/** Writes files into a folder and keeps the other files of the folder. */
export function writeContents(folder: string, contents: Contents): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, bytes] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

/** Deletes a folder and writes its files again, as build tools do. */
export function rebuild(folder: string, contents: Contents): void {
  rmSync(folder, { recursive: true, force: true });
  writeContents(folder, contents);
}
