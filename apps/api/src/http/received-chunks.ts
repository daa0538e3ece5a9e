import type { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The growth of all buffers after which unused ones are collected. */
const MAX_GROWTH_BYTES = 16 * 1024 ** 2;
const CHECK_MS = 50;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options: { type: 'minor' }) => void;

let receiving = 0;
let timer: NodeJS.Timeout | null = null;
let usedBytes = 0;

/**
 * Keeps the memory of received chunks small while a body arrives. V8 collects buffers late, because it does not count
 * their bytes as part of the heap: many bodies at once would take more than 100 MiB. A collection of new objects takes
 * about a millisecond.
 */
export function collectChunks(req: IncomingMessage): void {
  receiving += 1;
  timer ??= setInterval(collectUnused, CHECK_MS).unref();
  req.once('close', () => {
    receiving -= 1;
    if (receiving > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  });
}

function collectUnused(): void {
  const { arrayBuffers } = process.memoryUsage();
  usedBytes = Math.min(usedBytes, arrayBuffers);
  if (arrayBuffers < usedBytes + MAX_GROWTH_BYTES) return;
  collectGarbage({ type: 'minor' });
  usedBytes = process.memoryUsage().arrayBuffers;
}
