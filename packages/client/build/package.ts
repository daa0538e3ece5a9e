// `npm run build:cli`: the command line as a package of one file, in `dist`, which runs wherever there is Node.
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';
import workspace from '../package.json' with { type: 'json' };

/** The oldest Node that chokidar runs on. */
const NODE = '22.22.0';

const CLIENT = join(import.meta.dirname, '..');
const DIST = join(CLIENT, 'dist');

await rm(DIST, { recursive: true, force: true });
await mkdir(DIST);
await build({
  input: join(CLIENT, 'src/cli/main.ts'),
  platform: 'node',
  transform: { target: `node${NODE}` },
  treeshake: { manualPureFunctions: ['z'] },
  output: {
    file: join(DIST, 'berth.js'),
    format: 'esm',
    codeSplitting: false,
    minify: { compress: true, mangle: false },
  },
  logLevel: 'warn',
});
await chmod(join(DIST, 'berth.js'), 0o755);
await copyFile(join(CLIENT, 'README.md'), join(DIST, 'README.md'));
await copyFile(join(CLIENT, '../../LICENSE'), join(DIST, 'LICENSE'));
const { version, license } = workspace;
const manifest = {
  name: '@berth/cli',
  version,
  description: 'Publishes a folder to a Berth server and prints its link.',
  license,
  type: 'module',
  bin: { berth: 'berth.js' },
  files: ['berth.js'],
  engines: { node: `>=${NODE}` },
  publishConfig: { access: 'public' },
};
await writeFile(join(DIST, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
