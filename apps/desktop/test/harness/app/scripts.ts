import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { buildApp } from '../../../build/build.ts';
import { MAIN_PROGRAM } from './main-child.ts';

/** The compiled window of the app, and what runs it outside Electron. */
export interface Compiled {
  /** Where the compiled app is. */
  dist: string;
  /** The shipped preload. */
  preload: string;
  /** One end of the bridge each. */
  pageWorld: string;
  preloadWorld: string;
  remove(): Promise<void>;
}

/** Compiles the page and the preload as they are shipped. */
export async function compileWindow(): Promise<Compiled> {
  const dir = await mkdtemp(join(tmpdir(), 'berth-desktop-'));
  await buildApp(dir, ['preload', 'renderer']);
  const [pageWorld, preloadWorld] = [await compileScript('page-world.ts'), await compileScript('preload-world.ts')];
  return {
    dist: dir,
    preload: await readFile(join(dir, 'preload/index.cjs'), 'utf8'),
    pageWorld,
    preloadWorld,
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** The scripts of one window. Nobody else knows the names by which its worlds talk. */
export function scriptsOf({ pageWorld, preloadWorld, preload }: Compiled, inSubframes: boolean) {
  const names = { toPreload: randomBytes(16).toString('hex'), toPage: randomBytes(16).toString('hex') };
  const bridge = `const BRIDGE = ${JSON.stringify(names)};`;
  return {
    page: `{ ${bridge}\n${pageWorld} }`,
    preload: `{ ${bridge} const SUBFRAMES = ${inSubframes};
      const PRELOAD = (require) => { const exports = {}, module = { exports };\n${preload}\n };
      ${preloadWorld} }`,
  };
}

/** Compiles the main process of the tests, with the app's in it, as the app's own is compiled. @returns The program. */
export async function compileMain(outDir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: MAIN_PROGRAM,
      outDir,
      target: 'node24',
      minify: false,
      rolldownOptions: { external: ['electron'], output: { entryFileNames: 'main-program.js', format: 'es' } },
    },
    ssr: { noExternal: true, target: 'node' },
  });
  return join(outDir, 'main-program.js');
}

async function compileScript(name: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      minify: false,
      target: 'chrome156',
      rolldownOptions: { input: join(import.meta.dirname, name), output: { format: 'iife', codeSplitting: false } },
    },
  });
  const { output } = [built].flat()[0] as { output: readonly { code?: string }[] };
  return output[0]!.code!;
}
