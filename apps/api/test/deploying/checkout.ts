import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(import.meta.dirname, '../../../..');

/** On the disk of this checkout, where pnpm can link packages and need not copy them. */
const WORK = join(ROOT, 'dist/fresh');

const GENERATED = new Set(['node_modules', 'dist', 'release', 'data', '.git', '.tsbuild']);

/** Creates an empty folder whose name contains a space. */
export async function makeWorkFolder(): Promise<string> {
  await mkdir(WORK, { recursive: true });
  return mkdtemp(join(WORK, 'a b '));
}

/** Copies this checkout, without what was installed or built. @param isWanted Selects files by their path in the checkout. */
export async function copyCheckout(isWanted: (path: string) => boolean = () => true): Promise<string> {
  const copy = await makeWorkFolder();
  const isSource = (path: string) => !path.split(sep).some((part) => GENERATED.has(part)) && isWanted(path);
  for (const name of await readdir(ROOT))
    if (isSource(name))
      await cp(join(ROOT, name), join(copy, name), {
        recursive: true,
        filter: (path) => isSource(relative(ROOT, path)),
      });
  return copy;
}

/** Runs a program in a folder, on the Node of this process. @throws Error if its exit code is not 0. */
export async function runIn(folder: string, program: string, ...words: string[]): Promise<string> {
  const env = { ...process.env, CI: '1' };
  const { stdout, stderr } = await promisify(execFile)(program, words, { cwd: folder, env });
  return stdout + stderr;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
