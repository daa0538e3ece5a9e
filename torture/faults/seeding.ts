import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import type { Edit } from './fault.ts';

const TREE = join(import.meta.dirname, '../..');
/** What a server and a run of the torture need. */
const FOLDERS = ['apps/api', 'packages', 'torture'];
const FILES = ['package.json', 'pnpm-lock.yaml', 'tsconfig.base.json'];

/** A copy of the code, which shares the installed packages. */
export interface Copy {
  dir: string;
  remove(): void;
}

/** Copies the code, so that faults can be seeded into it. */
export function copyTree(): Copy {
  const dir = mkdtempSync(join(tmpdir(), 'berth-faults-'));
  const isWanted = (path: string) => !relative(TREE, path).split(sep).includes('dist');
  for (const name of [...FOLDERS, ...FILES])
    cpSync(join(TREE, name), join(dir, name), { recursive: true, verbatimSymlinks: true, filter: isWanted });
  symlinkSync(join(TREE, 'node_modules'), join(dir, 'node_modules'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** Applies edits to a copy. @throws Error unless the text of each is in its file exactly once. */
export function seed(dir: string, edits: readonly Edit[]): void {
  for (const { file, find, replace } of edits) {
    const text = readFileSync(join(dir, file), 'utf8');
    const count = text.split(find).length - 1;
    if (count !== 1) throw new Error(`${file} must contain this text once, and has it ${count} times: ${find}`);
    writeFileSync(
      join(dir, file),
      text.replace(find, () => replace),
    );
  }
}

/** Undoes edits in a copy. */
export function restore(dir: string, edits: readonly Edit[]): void {
  for (const { file } of edits) cpSync(join(TREE, file), join(dir, file));
}
