import { describe, expect, it } from 'vitest';
import { createIdleCheck } from '../src/memory.ts';

describe('a process becomes idle', () => {
  it('once after it was busy, and again after it was busy again', () => {
    const becomesIdle = createIdleCheck();
    const utilizations = [0.9, 0.001, 0.02, 0.021, 0.001, 0.001];
    expect(utilizations.map(becomesIdle)).toEqual([false, true, false, false, true, false]);
  });

  it('after its start', () => {
    expect(createIdleCheck()(0.001)).toBe(true);
  });
});
