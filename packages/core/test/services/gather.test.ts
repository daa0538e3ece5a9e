import { describe, expect, it } from 'vitest';
import type { Core } from '../../src/core.ts';
import { gather } from '../../src/services/gather.ts';

/** Records the groups of calls that run together. Each group ends when the test says so. */
function recorder() {
  const groups: { calls: number[]; end(fault?: Error): void }[] = [];
  const core = {} as Core;
  const call = (number: number, key = 'key') =>
    gather(core, key, number, (calls: number[]) => {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      const end = (fault?: Error) => (fault ? reject(fault) : resolve(calls.map((each) => `result ${each}`)));
      groups.push({ calls, end });
      return promise;
    });
  return { call, groups, callsOf: () => groups.map(({ calls }) => calls) };
}

describe('gather', () => {
  it('makes a first call at once, and the calls that arrive meanwhile together', async () => {
    const { call, groups, callsOf } = recorder();
    const results = [call(1), call(2), call(3)];
    expect(callsOf()).toEqual([[1]]);
    groups[0]!.end();
    await results[0];
    await expect.poll(callsOf).toEqual([[1], [2, 3]]);
    groups[1]!.end();
    expect(await Promise.all(results)).toEqual(['result 1', 'result 2', 'result 3']);
  });

  it('does not let calls of one key wait for those of another', () => {
    const { call, callsOf } = recorder();
    void call(1, 'a');
    void call(2, 'b');
    expect(callsOf()).toEqual([[1], [2]]);
  });

  it('makes at most 64 calls together', async () => {
    const { call, groups, callsOf } = recorder();
    const results = Array.from({ length: 100 }, (_, number) => call(number));
    groups[0]!.end();
    await expect.poll(() => groups.length).toBe(2);
    groups[1]!.end();
    await expect.poll(() => groups.length).toBe(3);
    groups[2]!.end();
    expect(await Promise.all(results)).toHaveLength(100);
    expect(callsOf().map(({ length }) => length)).toEqual([1, 64, 35]);
  });

  it('throws an error to each call of its group, and makes the next calls', async () => {
    const { call, groups } = recorder();
    const results = [call(1), call(2), call(3)];
    groups[0]!.end();
    await expect.poll(() => groups.length).toBe(2);
    const later = call(4);
    groups[1]!.end(new Error('away'));
    await expect(results[1]).rejects.toThrow('away');
    await expect(results[2]).rejects.toThrow('away');
    await expect.poll(() => groups.length).toBe(3);
    groups[2]!.end();
    expect(await later).toBe('result 4');
  });

  it('makes a call at once after all earlier calls have ended', async () => {
    const { call, groups, callsOf } = recorder();
    const first = call(1);
    groups[0]!.end();
    await first;
    await new Promise(setImmediate);
    void call(2);
    expect(callsOf()).toEqual([[1], [2]]);
  });
});
