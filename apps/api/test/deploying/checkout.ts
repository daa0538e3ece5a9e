import { execFile } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(import.meta.dirname, '../../../..');

/** On the disk of this checkout, where pnpm can link packages and need not copy them. */
const WORK = join(ROOT, 'dist/fresh');

/** Folders that are not copied, by their path or by their name. They have thousands of files. */
const SKIPPED = new Set(['dist', '.git', 'node_modules']);

const GENERATED = /(?:^|\/)(?:dist|release|data|\.tsbuild)\//;

/** Creates an empty folder that every user can read. @param name The start of its name. */
export async function makeWorkFolder(name: string): Promise<string> {
  await mkdir(WORK, { recursive: true });
  const folder = await mkdtemp(join(WORK, name));
  await chmod(folder, 0o755);
  return folder;
}

/** Copies this checkout into a new folder. @param isWanted Selects files by their path. Default: all that nothing generates. */
export async function copyCheckout(name: string, isWanted = (path: string) => !GENERATED.test(path)): Promise<string> {
  const copy = await makeWorkFolder(name);
  for (const path of await listFiles('')) {
    if (!isWanted(path)) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(ROOT, path), join(copy, path));
  }
  return copy;
}

async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(join(ROOT, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (SKIPPED.has(path) || entry.name === 'node_modules') continue;
    if (entry.isDirectory()) files.push(...(await listFiles(path)));
    else if (entry.isFile()) files.push(path);
  }
  return files;
}

/** Runs a program in a folder, on the Node of this process. @throws Error if its exit code is not 0. */
export async function runIn(folder: string, program: string, ...words: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, words, { cwd: folder });
  return stdout + stderr;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
