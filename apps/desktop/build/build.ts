import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { build, type InlineConfig } from 'vite';

const ROOT = join(import.meta.dirname, '..');

/** Where the compiled app goes. */
export const DIST = join(ROOT, 'dist');

/** Builds one of the three parts. @param outDir Where it goes. */
const PARTS = {
  /** Node in Electron: modules, with everything but Electron inside. */
  main: (outDir: string): InlineConfig => ({
    ...common('main'),
    build: {
      ssr: join(ROOT, 'src/main/index.ts'),
      outDir: join(outDir, 'main'),
      target: 'node24',
      minify: false,
      emptyOutDir: true,
      rolldownOptions: { external: ['electron'], output: { entryFileNames: 'index.js', format: 'es' } },
    },
    ssr: { noExternal: true, target: 'node' },
  }),
  /** A sandboxed preload knows CommonJS alone, and may require nothing but Electron. */
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
    },
  }),
};

export type Part = keyof typeof PARTS;

/** Compiles the app, or some parts of it, into a folder. */
export async function buildApp(
  outDir: string = DIST,
  parts: readonly Part[] = ['main', 'preload', 'renderer'],
): Promise<void> {
  for (const part of parts) await build(PARTS[part](outDir));
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
