// The program of a disk thread on a machine with a drive that stops responding: reading a file below `silent-drive` blocks the thread
// until the file `released` is beside the folder, or for 10 seconds.
import fs, { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const DRIVE = '/silent-drive/';
const never = new Int32Array(new SharedArrayBuffer(4));
const openSync = fs.openSync;

fs.openSync = (...args: Parameters<typeof openSync>) => {
  const path = String(args[0]);
  const at = path.indexOf(DRIVE);
  const limit = performance.now() + 10_000;
  while (at >= 0 && !existsSync(`${path.slice(0, at)}/released`) && performance.now() < limit)
    Atomics.wait(never, 0, 0, 20);
  return openSync(...args);
};
syncBuiltinESMExports();
await import('../../src/main/engine/disk.ts');
