import { writeSync } from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';

// Preloaded into a server: writes a line to standard error for each step that makes a deploy durable or visible.

/** One step of a deploy: what was done, and when it began and ended. Only the order of the times has a meaning. */
export interface Step {
  name: 'pack written' | 'pack synced' | 'folder synced' | 'COMMIT sent' | 'COMMIT done' | '201 sent';
  start: number;
  end: number;
}

let moment = 0;

function record(name: Step['name'], start: number): void {
  moment += 1;
  writeSync(2, `step ${JSON.stringify({ name, start, end: moment } satisfies Step)}\n`);
}

function watch(handle: FileHandle, method: 'write' | 'sync', name: Step['name']): void {
  const original = handle[method].bind(handle) as (...args: unknown[]) => Promise<unknown>;
  Reflect.set(handle, method, async (...args: unknown[]) => {
    moment += 1;
    const start = moment;
    const result = await original(...args);
    record(name, start);
    return result;
  });
}

const { open } = promises;
promises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  if (String(path).endsWith('.pack')) {
    watch(handle, 'write', 'pack written');
    watch(handle, 'sync', 'pack synced');
  } else if (/packs.[0-9a-f]$/.test(String(path))) watch(handle, 'sync', 'folder synced');
  return handle;
};
syncBuiltinESMExports();

const { write, push } = Socket.prototype;
Socket.prototype.write = function (this: Socket, ...args: unknown[]) {
  const text = String(args[0]);
  moment += 1;
  if (text.includes('commit\0')) record('COMMIT sent', moment);
  if (text.startsWith('HTTP/1.1 201')) record('201 sent', moment);
  return Reflect.apply(write, this, args);
};
Socket.prototype.push = function (this: Socket, ...args: unknown[]) {
  moment += 1;
  if (String(args[0]).includes('COMMIT\0')) record('COMMIT done', moment);
  return Reflect.apply(push, this, args);
};
