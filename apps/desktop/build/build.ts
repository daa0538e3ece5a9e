import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { build, type InlineConfig } from 'vite';

const ROOT = join(import.meta.dirname, '..');

/** The folder of the compiled app. */
export const DIST = join(ROOT, 'dist');

/** Each part ships with the licences of the packages that are compiled into it. */
const LICENSES = { fileName: 'licenses.md' };

/** The Vite configuration of each of the three parts. @param outDir The output folder. */
const PARTS = {
  /** Runs in Electron's Node: ES modules that bundle everything except Electron. */
  main: (outDir: string): InlineConfig => ({
    ...common('main'),
    build: {
      ssr: join(ROOT, 'src/main/index.ts'),
      outDir: join(outDir, 'main'),
      target: 'node24',
      minify: false,
      emptyOutDir: true,
      license: LICENSES,
      rolldownOptions: { external: ['electron'], output: { entryFileNames: 'index.js', format: 'es' } },
    },
    ssr: { noExternal: true, target: 'node' },
  }),
  /** A sandboxed preload must be CommonJS and can require only Electron. */
  preload: (outDir: string): InlineConfig => ({
    ...common('preload'),
    build: {
      ssr: join(ROOT, 'src/preload/index.ts'),
      outDir: join(outDir, 'preload'),
      target: 'chrome156',
      minify: false,
      emptyOutDir: true,
      rolldownOptions: {
        external: ['electron'],
        output: { entryFileNames: 'index.cjs', format: 'cjs', codeSplitting: false },
      },
    },
    ssr: { noExternal: true, target: 'node' },
  }),
  renderer: (outDir: string): InlineConfig => ({
    ...common('renderer'),
    root: join(ROOT, 'src/renderer'),
    base: './',
    plugins: [react()],
    build: {
      outDir: join(outDir, 'renderer'),
      target: 'chrome156',
      modulePreload: false,
      assetsInlineLimit: 0,
      emptyOutDir: true,
      license: LICENSES,
    },
  }),
};

export type Part = keyof typeof PARTS;

/** Compiles the app, or some parts of it, into a folder. Copies the images of the main process into `assets`. */
export async function buildApp(
  outDir: string = DIST,
  parts: readonly Part[] = ['main', 'preload', 'renderer'],
): Promise<void> {
  await inProduction(async () => {
    for (const part of parts) await build(PARTS[part](outDir));
  });
  if (parts.includes('main')) await copyAssets(outDir);
}

/** Sets NODE_ENV during a build. Otherwise a build in a test would contain the development React and source paths. */
async function inProduction(work: () => Promise<void>): Promise<void> {
  const { NODE_ENV } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    await work();
  } finally {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = NODE_ENV;
  }
}

/** Copies the images that the main process shows: the window's icon and the tray icons. */
async function copyAssets(outDir: string): Promise<void> {
  for (const name of ['icon.png', 'tray']) {
    await cp(join(ROOT, 'assets', name), join(outDir, 'assets', name), { recursive: true });
  }
}

function common(part: Part): InlineConfig {
  return {
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    cacheDir: join(ROOT, `../../node_modules/.cache/vite/${part}`),
  };
}

if (import.meta.main) {
  await rm(DIST, { recursive: true, force: true });
  await buildApp();
}
