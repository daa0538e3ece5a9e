import { writeSync } from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';

// A server preloads this file, which prints a line for each step that makes a deploy durable or visible.

/** One step of a deploy, with its start and its end. The times are counters that only show the order. */
export interface Step {
  name: 'pack written' | 'pack synced' | 'folder synced' | 'COMMIT sent' | 'COMMIT done' | '201 sent';
  start: number;
  end: number;
}

let stepCount = 0;

function record(name: Step['name'], start: number): void {
  stepCount += 1;
  writeSync(2, `step ${JSON.stringify({ name, start, end: stepCount } satisfies Step)}\n`);
}

function recordCalls(handle: FileHandle, method: 'write' | 'sync', name: Step['name']): void {
  const originalMethod = handle[method].bind(handle) as (...args: unknown[]) => Promise<unknown>;
  Reflect.set(handle, method, async (...args: unknown[]) => {
    stepCount += 1;
    const start = stepCount;
    const result = await originalMethod(...args);
    record(name, start);
    return result;
  });
}

const { open } = promises;
promises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  if (String(path).endsWith('.pack')) {
    recordCalls(handle, 'write', 'pack written');
    recordCalls(handle, 'sync', 'pack synced');
  } else if (/packs.[0-9a-f]$/.test(String(path))) recordCalls(handle, 'sync', 'folder synced');
  return handle;
};
syncBuiltinESMExports();

const { write, push } = Socket.prototype;
Socket.prototype.write = function (this: Socket, ...args: unknown[]) {
  const text = String(args[0]);
  stepCount += 1;
  if (text.includes('commit\0')) record('COMMIT sent', stepCount);
  if (text.startsWith('HTTP/1.1 201')) record('201 sent', stepCount);
  return Reflect.apply(write, this, args);
};
Socket.prototype.push = function (this: Socket, ...args: unknown[]) {
  stepCount += 1;
  if (String(args[0]).includes('COMMIT\0')) record('COMMIT done', stepCount);
  return Reflect.apply(push, this, args);
};
