// `npm run pack` writes the tarball of every built package to `dist/packages`.
import { execFile } from 'node:child_process';
import { glob, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../../..');
const TARBALLS = join(ROOT, 'dist/packages');

await rm(TARBALLS, { recursive: true, force: true });
await mkdir(TARBALLS, { recursive: true });
for await (const manifest of glob('packages/*/dist/package.json', { cwd: ROOT })) {
  const folder = join(ROOT, dirname(manifest));
  const { stdout } = await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', TARBALLS, folder]);
  process.stdout.write(`dist/packages/${stdout.trim()}\n`);
}
