import type { IncomingMessage, ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';

/** Bodies up to this size do not change how garbage is collected. */
const SMALL_BYTES = 64 * 1024;
/** Unused buffers are collected after all buffers together have grown by this size. */
const MAX_GROWTH_BYTES = 16 * 1024 ** 2;
const GROWTH_CHECK_MS = 50;
/** How long a body may still be processed after it has arrived. */
const PROCESSING_MS = 5_000;

/** Counts the large bodies that are being received or unpacked. */
let openBodies = 0;
let lastBodyAt = 0;
let usedBytes = 0;
let check: NodeJS.Timeout | null = null;

/**
 * Collects garbage more often while large bodies arrive and are processed: when the heap has grown by 50 %, and when
 * buffers have grown. V8 alone collects buffers late, because it does not count their bytes as part of the heap; many
 * bodies at once would take more than 100 MiB. Frequent collection makes visits up to a third slower, so it stops soon
 * after the last body.
 *
 * Buffers are collected only if the process runs with `--expose-gc`, as `npm start` and the image do. Setting the flag
 * later would need a second V8 context, which makes every request a fifth slower.
 */
export function boundMemory(req: IncomingMessage): void {
  if (!(Number(req.headers['content-length']) <= SMALL_BYTES)) boundMemoryUntilClosed(req);
}

/** Collects garbage more often, like {@link boundMemory}, until a request or a response is closed. For bodies that are still processed long after they arrived. */
export function boundMemoryUntilClosed(message: IncomingMessage | ServerResponse): void {
  if (message.closed) return;
  openBodies += 1;
  check ??= startChecking();
  message.once('close', () => {
    openBodies -= 1;
    lastBodyAt = performance.now();
  });
}

function startChecking(): NodeJS.Timeout {
  setFlagsFromString('--heap-growing-percent=50');
  return setInterval(checkMemory, GROWTH_CHECK_MS).unref();
}

function checkMemory(): void {
  if (openBodies === 0 && performance.now() - lastBodyAt > PROCESSING_MS) stopChecking();
  else if (globalThis.gc) collectBuffers(globalThis.gc);
}

function stopChecking(): void {
  clearInterval(check!);
  check = null;
  // With `--heap-growing-percent=0`, V8 decides when garbage is collected.
  setFlagsFromString('--heap-growing-percent=0');
}

function collectBuffers(collect: NodeJS.GCFunction): void {
  const { arrayBuffers } = process.memoryUsage();
  usedBytes = Math.min(usedBytes, arrayBuffers);
  if (arrayBuffers < usedBytes + MAX_GROWTH_BYTES) return;
  void collect({ type: 'minor' });
  usedBytes = process.memoryUsage().arrayBuffers;
}
