import { EventEmitter } from 'node:events';
import { UNTRACED } from '@berth/core';
import { describe, expect, it } from 'vitest';
import { type Job, msUntilMultiple, repeatUntil } from '../../src/service/repeat-jobs.ts';

const NEVER_MS = 3_600_000;
const log = { info() {}, warn() {}, error() {} };

/** Repeats a job that pauses for an hour when it is idle, and another one every millisecond. */
async function withIdleJob(processed: number, check: (work: EventEmitter, runs: () => number) => Promise<void>) {
  const work = new EventEmitter();
  const stopping = new AbortController();
  let [runs, otherRuns] = [0, 0];
  const idle: Job = {
    name: 'job',
    everyMs: 1,
    whenIdle: { afterMs: 0, everyMs: NEVER_MS, onWork: (listener) => void work.on('work', listener) },
    async run() {
      runs += 1;
      return processed;
    },
  };
  const other: Job = {
    name: 'other job',
    everyMs: 1,
    async run() {
      otherRuns += 1;
    },
  };
  const running = repeatUntil({ log, tracer: UNTRACED }, [idle, other], stopping.signal);
  await expect.poll(() => otherRuns).toBeGreaterThan(20);
  try {
    await check(work, () => runs);
  } finally {
    stopping.abort();
    await running;
  }
}

describe('a job with an idle pause', () => {
  it('waits for the longer pause after a run that found nothing to do', async () => {
    await withIdleJob(0, async (_work, runs) => expect(runs()).toBe(1));
  });

  it('runs as soon as there may be work', async () => {
    await withIdleJob(0, async (work, runs) => {
      work.emit('work');
      await expect.poll(runs).toBe(2);
      work.emit('work');
      await expect.poll(runs).toBe(3);
    });
  });
});

describe('the pause between two runs', () => {
  it('ends at a multiple of its length, so that the jobs of a process run together', () => {
    expect(msUntilMultiple(12_000, 5_000)).toBe(3_000);
    expect(msUntilMultiple(10_000, 5_000)).toBe(5_000);
    expect(msUntilMultiple(0.5, 1)).toBe(0.5);
  });

  it('skips the next multiple if a timer may have ended just before it, so that no job runs twice', () => {
    expect(msUntilMultiple(14_960, 5_000)).toBe(5_040);
    expect(msUntilMultiple(14_940, 5_000)).toBe(60);
  });
});
