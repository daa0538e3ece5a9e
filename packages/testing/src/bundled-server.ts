import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../../..');

/** Bundles the server if its sources have changed: tests that start servers as processes start what `npm start` starts. */
export default async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(ROOT, 'packages/server-bundle/src/build.ts'), '--if-changed']);
}
