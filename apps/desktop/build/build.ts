import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { build, type BuildOptions, type InlineConfig } from 'vite';

const ROOT = join(import.meta.dirname, '..');

/** The folder of the compiled app. */
export const DIST = join(ROOT, 'dist');

/** Writes the licences of the packages that are compiled into a part to this file. */
const LICENSES = { fileName: 'licenses.md' };

/** The pages of the windows. */
const PAGES = ['index.html', 'drop-window.html'];

/** Creates the Vite configuration of each of the three parts. @param outDir The output folder. */
const PARTS = {
  /** The main process runs in Electron's Node, as ES modules. */
  main: (outDir: string) =>
    scriptConfig(
      'main',
      outDir,
      { index: 'index.ts', engine: 'engine/index.ts', disk: 'engine/disk.ts' },
      { target: 'node24', license: LICENSES },
      {
        entryFileNames: '[name].js',
        format: 'es',
      },
    ),
  /** A sandboxed preload must be CommonJS and can require only Electron. */
  preload: (outDir: string) => {
    const output = { entryFileNames: 'index.cjs', format: 'cjs', codeSplitting: false } as const;
    return scriptConfig('preload', outDir, { index: 'index.ts' }, { target: 'chrome156' }, output);
  },
  renderer: (outDir: string): InlineConfig => ({
    ...commonConfig('renderer'),
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
      rolldownOptions: { input: PAGES.map((page) => join(ROOT, 'src/renderer', page)) },
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
  if (!parts.includes('main')) return;
  for (const name of ['icon.png', 'tray'])
    await cp(join(ROOT, 'assets', name), join(outDir, 'assets', name), { recursive: true });
}

/** Sets NODE_ENV during a build. Otherwise a build in a test would contain the development version of React and source paths. */
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

/** The configuration of scripts that bundle everything except Electron. @param programs Their entries, by name. */
function scriptConfig(
  part: 'main' | 'preload',
  outDir: string,
  programs: Readonly<Record<string, string>>,
  options: BuildOptions,
  output: NonNullable<BuildOptions['rolldownOptions']>['output'],
): InlineConfig {
  return {
    ...commonConfig(part),
    // A distributor builds an app that knows its server.
    define: { BERTH_PRESET_SERVER: JSON.stringify(process.env['BERTH_SERVER'] ?? '') },
    build: {
      ...options,
      ssr: true,
      outDir: join(outDir, part),
      minify: false,
      emptyOutDir: true,
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(programs).map(([name, path]) => [name, join(ROOT, 'src', part, path)]),
        ),
        external: ['electron'],
        output,
      },
    },
    ssr: { noExternal: true, target: 'node' },
  };
}

function commonConfig(part: Part): InlineConfig {
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
