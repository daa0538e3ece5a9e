import { describe, expect, it } from 'vitest';
import { shareConnections } from '../../src/service/open-core.ts';
import { decideRestart } from '../../src/workers/worker-pool.ts';

/** Returns the pauses before each new worker if all workers exit soon after their start, then `give-up`. */
function pausesOf({ serving, exits }: { serving: number; exits: number }): (number | 'give-up')[] {
  const pauses: (number | 'give-up')[] = [];
  for (let earlierExits = 0; pauses.length < exits;) {
    const decision = decideRestart({ livedMs: 1_000, earlierExits, serving });
    if (decision === null) return [...pauses, 'give-up'];
    pauses.push(decision.pauseMs);
    ({ earlierExits } = decision);
  }
  return pauses;
}

describe('a worker that has exited', () => {
  it('api §10: is first replaced at once, then after pauses, but only five times if no other worker serves', () => {
    expect(pausesOf({ serving: 0, exits: 20 })).toEqual([0, 100, 200, 400, 800, 'give-up']);
  });

  it('api §10: is always replaced while other workers serve, after pauses of at most 10 s', () => {
    expect(pausesOf({ serving: 1, exits: 11 })).toEqual([
      0, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000,
    ]);
  });

  it('api §10: is replaced at once if it ran for a long time, whatever happened before', () => {
    expect(decideRestart({ livedMs: 10_000, earlierExits: 7, serving: 0 })).toEqual({ pauseMs: 0, earlierExits: 0 });
  });
});

describe('shareConnections', () => {
  const counts = Array.from({ length: 64 }, (_, index) => index + 1);

  it('api §10: gives every process and an operator enough connections, for any number of workers', () => {
    for (const workers of counts) {
      const { perProcess, max } = shareConnections(workers);
      expect(perProcess).toBeGreaterThanOrEqual(4);
      expect((workers + 1) * (perProcess + 1)).toBeLessThanOrEqual(max - 2);
    }
  });

  it('api §10: stays within the default 100 connections of PostgreSQL for up to 12 workers', () => {
    for (const workers of counts.slice(0, 12))
      expect((workers + 1) * (shareConnections(workers).perProcess + 2)).toBeLessThan(100);
  });

  it('gives a single process the default numbers of connections', () => {
    expect(shareConnections(1)).toEqual({ perProcess: 16, max: 100 });
  });
});
