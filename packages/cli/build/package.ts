// `npm run build:cli` builds the package that users install in `dist`. The package has no dependencies. With `--if-changed`, it
// does nothing if no source has changed since the last build.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { writePackageFiles } from '@berth/packaging';
import { buildFrom, buildIfChanged } from '@berth/packaging/built-from';
import { MIN_NODE_VERSION } from '../src/node-version.ts';

const PACKAGE = join(import.meta.dirname, '..');
const DIST = join(PACKAGE, 'dist');
const NOTICES = 'THIRD-PARTY-NOTICES.md';

/** Everything that the package is built from. */
const SOURCES = [
  'packages/{cli,client,contract,packaging,terminal}/{src,build}/**/*',
  'packages/cli/*.{json,md}',
  'pnpm-lock.yaml',
];

/** Builds the package in a folder. @param dist An absolute path. Its content is replaced. */
export async function buildCliPackage(dist: string = DIST): Promise<void> {
  await buildFrom(SOURCES, dist, () => bundle(dist));
}

async function bundle(dist: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: PACKAGE,
    logLevel: 'warn',
    cacheDir: join(PACKAGE, '../../node_modules/.cache/vite/cli'),
    build: {
      ssr: join(PACKAGE, 'src/berth.ts'),
      outDir: dist,
      emptyOutDir: true,
      target: `node${MIN_NODE_VERSION}`,
      minify: 'oxc',
      license: { fileName: NOTICES },
      rolldownOptions: {
        treeshake: { manualPureFunctions: ['z'] },
        output: {
          entryFileNames: 'berth.js',
          chunkFileNames: '[name].js',
          format: 'esm',
          minify: { compress: true, mangle: false },
        },
      },
    },
    ssr: { noExternal: true, target: 'node' },
  });
  await chmod(join(dist, 'berth.js'), 0o755);
  await writePackageFiles('packages/cli', dist, {
    bin: { berth: 'berth.js' },
    files: ['berth.js', 'main.js', NOTICES],
    engines: { node: `>=${MIN_NODE_VERSION}` },
  });
}

if (import.meta.main) {
  if (process.argv.includes('--if-changed')) await buildIfChanged('the command line', SOURCES, DIST, buildCliPackage);
  else await buildCliPackage();
}
