import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { attemptTask, type Worklist, runWorklist } from '../../src/services/worklist.ts';
import { useTestCore } from '@berth/testing/core';
import { warningLog } from '@berth/testing/refused-rows';

const test = await useTestCore();

/** A worklist of numbers that are due in ascending order. Numbers whose work fails stay due. */
function listOf(count: number, fails: (item: number) => boolean, groupOf: (item: number) => string = String) {
  const dueItems = new Set(Array.from({ length: count }, (_, n) => n));
  const processedItems: number[] = [];
  const list: Worklist<number> = {
    task: 'count',
    due: async (skip, limit) => [...dueItems].filter((item) => !skip.includes(groupOf(item))).slice(0, limit),
    groupOf,
    idsOf: (item) => ({ item }),
    async work(item) {
      processedItems.push(item);
      if (fails(item)) throw new Error(`item ${item} fails`);
      return dueItems.delete(item);
    },
  };
  return { list, due: dueItems, worked: processedItems };
}

describe('a run of a worklist', () => {
  it('logs the task and the ids of an item that fails, and processes the other items', async () => {
    const { log, warnings } = warningLog();
    const { list, due } = listOf(5, (item) => item === 1);
    expect(await runWorklist({ ...test.core, log }, list, { limit: 10 })).toBe(4);
    expect([...due]).toEqual([1]);
    const message = 'A background task failed and will be retried';
    expect(warnings).toEqual([{ err: new Error('item 1 fails'), task: 'count', item: 1, message }]);
  });

  it.each([1, 2, 3, 7])(
    'processes as many items as its limit of %i, however many failing items are due first',
    async (limit) => {
      const { list, due } = listOf(30, (item) => item < 20);
      expect(await runWorklist(test.core, list, { limit })).toBe(limit);
      expect(due.size).toBe(30 - limit);
    },
  );

  it('tries each failing item only once', async () => {
    const { list, worked } = listOf(6, () => true);
    expect(await runWorklist(test.core, list, { limit: 2 })).toBe(0);
    expect(worked).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('skips the other items in the group of a failed item', async () => {
    const { list, worked } = listOf(
      9,
      (item) => item < 3,
      (item) => String(item % 3 === 0),
    );
    expect(await runWorklist(test.core, list, { limit: 2 })).toBe(0);
    expect(worked).toEqual([0, 1]);
  });

  it('does not retry an item whose work another process has done', async () => {
    const { list } = listOf(3, () => false);
    let calls = 0;
    const work = async () => (calls += 1) < 0;
    expect(await runWorklist(test.core, { ...list, work }, { limit: 3 })).toBe(0);
    expect(calls).toBe(3);
  });

  it('stops after 1,000 groups that fail', async () => {
    const { list, worked } = listOf(1_500, () => true);
    expect(await runWorklist(test.core, list, { limit: 100 })).toBe(0);
    expect(worked).toHaveLength(1_000);
  });

  it('throws the error of the first item if the database is down', async () => {
    const database = openDatabase({ ...test.database.address, socketDir: '/nowhere' });
    const { list, worked } = listOf(3, () => true);
    await expect(runWorklist({ ...test.core, database }, list, { limit: 10 })).rejects.toThrow('item 0 fails');
    expect(worked).toEqual([0]);
    await database.close();
  });

  it('stops after the current item when it is aborted', async () => {
    const stopping = new AbortController();
    const { list, worked } = listOf(3, () => false);
    const work = (item: number) => {
      stopping.abort();
      return list.work(item);
    };
    expect(await runWorklist(test.core, { ...list, work }, { limit: 10, signal: stopping.signal })).toBe(1);
    expect(worked).toEqual([0]);
  });
});

it('attemptTask returns the result of the task', async () => {
  expect(await attemptTask(test.core, { task: 'add' }, async () => 1 + 1)).toEqual({ ok: true, value: 2 });
});
