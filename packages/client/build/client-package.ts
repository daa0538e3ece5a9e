// `npm run build:client` builds the package `@berth/client` in `dist`, and checks it with publint and Are The Types Wrong.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import contract from '@berth/contract/package.json' with { type: 'json' };
import { writePackageFiles } from '@berth/packaging';
import { build } from 'tsdown';
import workspace from '../package.json' with { type: 'json' };

const PACKAGE = join(import.meta.dirname, '..');

/** The oldest Node that can run the package. Its file watcher, chokidar 6, requires it. */
const MIN_NODE_VERSION = '22.22.0';

const ENTRIES = {
  index: 'src/index.ts',
  browser: 'src/browser/index.ts',
  amounts: 'src/amounts.ts',
};

/** The dependencies of the client, and of the contract, which is bundled. Users may have later versions that are compatible. */
const dependencies = Object.fromEntries(
  Object.entries({ ...workspace.dependencies, ...contract.dependencies, ...contract.devDependencies })
    .filter(([name]) => !name.startsWith('@berth/'))
    .map(([name, version]) => [name, `^${version}`])
    .toSorted(),
);

/** Builds the package in a folder. @param dist An absolute path. Its content is replaced. */
export async function buildClientPackage(dist: string = join(PACKAGE, 'dist')): Promise<void> {
  await rm(dist, { recursive: true, force: true });
  await build({
    config: false,
    cwd: PACKAGE,
    entry: ENTRIES,
    outDir: dist,
    format: 'esm',
    platform: 'neutral',
    target: ['node22.22', 'es2024'],
    fixedExtension: false,
    tsconfig: '../tsconfig.json',
    dts: true,
    deps: {
      alwaysBundle: [/^@berth\//],
      neverBundle: [/^node:/, ...Object.keys(dependencies).map((name) => new RegExp(`^${name}(/|$)`))],
    },
    logLevel: 'error',
  });
  const entry = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` });
  await writePackageFiles('packages/client', dist, {
    main: './index.js',
    types: './index.d.ts',
    exports: {
      '.': entry('index'),
      './browser': entry('browser'),
      './amounts': entry('amounts'),
      './package.json': './package.json',
    },
    files: ['*.js', '*.d.ts'],
    sideEffects: false,
    engines: { node: `>=${MIN_NODE_VERSION}` },
    dependencies,
  });
}

if (import.meta.main) await buildClientPackage();
