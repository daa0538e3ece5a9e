// `npm run dev`: compiles and starts the app, and again whenever a source file changes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildApp, type Part } from './build.ts';

const ROOT = join(import.meta.dirname, '..');
const QUIET_MS = 100;

/** The parts that are compiled from each source folder. */
const PARTS_BY_SOURCE: Readonly<Record<string, readonly Part[]>> = {
  'src/main': ['main'],
  'src/preload': ['preload'],
  'src/renderer': ['renderer'],
  'src/shared': ['main', 'preload', 'renderer'],
  '../../packages/contract/src': ['main', 'renderer'],
  '../../packages/client/src': ['main', 'renderer'],
};

// In Node, the `electron` package exports the path of Electron's program. The first import downloads the program.
const electron = createRequire(import.meta.url)('electron') as string;
const staleParts = new Set<Part>(['main', 'preload', 'renderer']);
let runningApp: ChildProcess | null = null;
let work = Promise.resolve();
let timer: NodeJS.Timeout | undefined;

for (const [folder, parts] of Object.entries(PARTS_BY_SOURCE))
  watch(join(ROOT, folder), { recursive: true }, () => {
    for (const part of parts) staleParts.add(part);
    clearTimeout(timer);
    timer = setTimeout(() => void (work = work.then(refresh)), QUIET_MS);
  });
work = work.then(refresh);

/** Compiles the stale parts and restarts the app. If compiling fails, the running app is not restarted. */
async function refresh(): Promise<void> {
  const parts = [...staleParts];
  if (parts.length === 0) return;
  staleParts.clear();
  try {
    await buildApp(undefined, parts);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    for (const part of parts) staleParts.add(part);
    return;
  }
  await stop();
  const app = spawn(electron, ['.', ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' });
  runningApp = app;
  app.once('exit', (code) => {
    if (runningApp === app) process.exit(code ?? 0);
  });
}

async function stop(): Promise<void> {
  const app = runningApp;
  runningApp = null;
  if (app === null || app.exitCode !== null) return;
  app.kill();
  await once(app, 'exit');
}
