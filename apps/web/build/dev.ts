// `npm run dev:web` builds the console again whenever a source of it changes. `npm run dev` serves it.
import { watch } from 'node:fs';
import { join } from 'node:path';
import { buildChangedConsole } from './build.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDERS = ['apps/web/src', 'packages/client/src', 'packages/contract/src', 'packages/ui/src'];
const QUIET_MS = 100;

let work = Promise.resolve();
let timer: NodeJS.Timeout | undefined;

for (const folder of FOLDERS)
  watch(join(ROOT, folder), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => void (work = work.then(refresh)), QUIET_MS);
  });
work = work.then(refresh);

async function refresh(): Promise<void> {
  try {
    await buildChangedConsole();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
}
