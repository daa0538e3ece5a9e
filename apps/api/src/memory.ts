import type { IncomingMessage, ServerResponse } from 'node:http';
import { flushCompileCache } from 'node:module';
import { getHeapStatistics, type HeapInfo, setFlagsFromString } from 'node:v8';

/** How far the heap may grow before V8 marks it, in percent of what was alive. V8 alone allows several times as much. */
const HEAP_GROWTH_PERCENT = 20;
/**
 * How far the heap and its buffers may grow before V8 marks the heap, while large bodies arrive. Three times {@link MAX_GROWTH_BYTES}, since
 * more buffers arrive until the next check, and some survive a collection of young objects.
 */
const GROWTH_WITH_BODIES_BYTES = 48 * 1024 ** 2;
/** Bodies up to this size do not change when garbage is collected. */
const SMALL_BYTES = 64 * 1024;
/** Unused buffers are collected after all buffers together have grown by this size. */
const MAX_GROWTH_BYTES = 16 * 1024 ** 2;
const GROWTH_CHECK_MS = 10;
/** How long a body may still be processed after it has arrived. */
const PROCESSING_MS = 5_000;

const IDLE_CHECK_MS = 60_000;
/** The event loop of an idle process is busy for at most this share of the time. */
const IDLE_UTILIZATION = 0.02;
/** A larger heap is not collected at once: this blocks the event loop for up to 2 ms per MiB. */
const MAX_COLLECTED_BYTES = 64 * 1024 ** 2;

/** Counts the large bodies that are being received or unpacked. */
let openBodies = 0;
let lastBodyAt = 0;
let usedBytes = 0;
let check: NodeJS.Timeout | null = null;
/** 0 lets V8 decide. */
let heapGrowthPercent = 0;

/**
 * Bounds how far the heap of this process grows beyond what is alive, so that many different sites take less memory. While large bodies
 * arrive, the heap may grow further: V8 counts their buffers as part of the heap, and would mark the heap again and again.
 */
export function boundHeap(): void {
  heapGrowthPercent = HEAP_GROWTH_PERCENT;
  setHeapGrowth(heapGrowthPercent);
}

/** Returns unused memory to the system whenever the process becomes idle. V8 alone keeps it for the next load. */
export function returnMemoryWhenIdle(): void {
  const becomesIdle = createIdleCheck();
  let checked = performance.eventLoopUtilization();
  const checkIdle = () => {
    const { utilization } = performance.eventLoopUtilization(checked);
    checked = performance.eventLoopUtilization();
    if (becomesIdle(utilization)) returnMemory();
  };
  setInterval(checkIdle, IDLE_CHECK_MS).unref();
}

/**
 * Returns a function that gets the utilization of the event loop since its last call, from 0 to 1. It returns whether the process was busy
 * before and is idle now. A process that has just started was busy.
 */
export function createIdleCheck(): (utilization: number) => boolean {
  let wasBusy = true;
  return (utilization) => {
    const isBusy = utilization > IDLE_UTILIZATION;
    const becameIdle = wasBusy && !isBusy;
    wasBusy = isBusy;
    return becameIdle;
  };
}

function returnMemory(): void {
  // Node keeps what it has read from the compile cache, 3.6 MiB, until it is flushed.
  flushCompileCache();
  if (getHeapStatistics().used_heap_size > MAX_COLLECTED_BYTES) return;
  void globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
}

/**
 * Collects unused buffers as soon as they have grown, while large bodies arrive and are processed. V8 alone collects them late: it
 * marks the whole heap when buffers have grown, again and again, and many bodies at once would take more than 100 MiB. A
 * collection of young objects frees nearly all buffers of a body, in less than a millisecond.
 *
 * Needs a process that runs with `--expose-gc`, as `npm start` and the image do; otherwise V8 decides. Setting the flag later
 * would need a second V8 context, which makes every request a fifth slower.
 */
export function boundMemory(req: IncomingMessage): void {
  if (!(Number(req.headers['content-length']) <= SMALL_BYTES)) boundMemoryUntilClosed(req);
}

/** Collects unused buffers, like {@link boundMemory}, until a request or a response is closed. For bodies that are still processed long after they arrived. */
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
  // Not at once: the first request loads modules, and V8 rejects their cached code while flags differ from those of the last time.
  setTimeout(() => allowGrowthOfBuffers(getHeapStatistics()), GROWTH_CHECK_MS).unref();
  return setInterval(checkMemory, GROWTH_CHECK_MS).unref();
}

function checkMemory(): void {
  if (openBodies === 0 && performance.now() - lastBodyAt > PROCESSING_MS) stopChecking();
  else if (globalThis.gc) collectBuffers(globalThis.gc);
}

function stopChecking(): void {
  clearInterval(check!);
  check = null;
  setHeapGrowth(heapGrowthPercent);
}

function setHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

function collectBuffers(collect: NodeJS.GCFunction): void {
  // `process.memoryUsage` would also read the resident memory, which takes longer than the rest of a check.
  const bytes = getHeapStatistics().external_memory;
  usedBytes = Math.min(usedBytes, bytes);
  if (bytes < usedBytes + MAX_GROWTH_BYTES) return;
  void collect({ type: 'minor' });
  const collected = getHeapStatistics();
  usedBytes = collected.external_memory;
  allowGrowthOfBuffers(collected);
}

/** V8 takes a percentage of what is alive. It uses the one that is set at the end of a marking. */
function allowGrowthOfBuffers({ used_heap_size: heapBytes }: HeapInfo): void {
  setHeapGrowth(Math.ceil((GROWTH_WITH_BODIES_BYTES / heapBytes) * 100));
}
