import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { buildApp } from '../../../build/build.ts';

/** Path of the program that runs in the child process of `startMainChild`. */
export const MAIN_PROGRAM = join(import.meta.dirname, 'main-program.ts');

/** The compiled window of the app, and the scripts that run it outside Electron. */
export interface Compiled {
  /** The folder of the compiled app. */
  dist: string;
  /** The shipped preload. */
  preload: string;
  /** Code of the bridge's end in the page; `preloadWorld` is the other end. */
  pageWorld: string;
  preloadWorld: string;
  remove(): Promise<void>;
}

/** Compiles the page and the preload as for a release. */
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

/** The scripts of one window. The event names between its worlds are random, so that the page cannot guess them. */
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

/** Compiles the tests' main program, including the app's main process, with the app's build options. @returns Its path. */
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
  const bundle = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      minify: false,
      target: 'chrome156',
      rolldownOptions: { input: join(import.meta.dirname, name), output: { format: 'iife', codeSplitting: false } },
    },
  });
  const { output } = [bundle].flat()[0] as { output: readonly { code?: string }[] };
  return output[0]!.code!;
}
