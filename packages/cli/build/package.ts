// `npm run build:cli` builds the package that users install in `dist`. The package has no dependencies.
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';
import workspace from '../package.json' with { type: 'json' };
import { MIN_NODE_VERSION } from '../src/node-version.ts';

const PACKAGE = join(import.meta.dirname, '..');
const DIST = join(PACKAGE, 'dist');

await rm(DIST, { recursive: true, force: true });
await mkdir(DIST);
await build({
  input: join(PACKAGE, 'src/berth.ts'),
  platform: 'node',
  transform: { target: `node${MIN_NODE_VERSION}` },
  treeshake: { manualPureFunctions: ['z'] },
  output: {
    dir: DIST,
    entryFileNames: 'berth.js',
    chunkFileNames: '[name].js',
    format: 'esm',
    minify: { compress: true, mangle: false },
  },
  logLevel: 'warn',
});
await chmod(join(DIST, 'berth.js'), 0o755);
await copyFile(join(PACKAGE, 'README.md'), join(DIST, 'README.md'));
await copyFile(join(PACKAGE, '../../LICENSE'), join(DIST, 'LICENSE'));
const { name, version, description, license } = workspace;
const manifest = {
  name,
  version,
  description,
  license,
  type: 'module',
  bin: { berth: 'berth.js' },
  files: ['berth.js', 'main.js'],
  engines: { node: `>=${MIN_NODE_VERSION}` },
  publishConfig: { access: 'public' },
};
await writeFile(join(DIST, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
