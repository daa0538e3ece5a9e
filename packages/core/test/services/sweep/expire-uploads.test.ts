import { createTestCore } from '@berth/testing/core';
import { withNestedLoops } from '@berth/testing/nested-loops';
import { begin, listOf } from '@berth/testing/uploads';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { expireUploads } from '../../../src/services/sweep/expire.ts';

const DAY = 86_400;

const test = await createTestCore();
const { core } = test;
const { caller } = await test.account('scale');
beforeEach(() => test.database.query('delete from upload'));
afterAll(() => test.close());

async function openUploads(): Promise<void> {
  for (const text of 'abcdef') await begin(core, caller, { files: listOf({ 'index.html': text }) });
  test.advance(2 * DAY);
}

describe('api §9: uploads that have expired', () => {
  it('are removed in batches', async () => {
    await openUploads();
    expect(await expireUploads(core, { limit: 4 })).toBe(4);
    expect(await expireUploads(core, { limit: 4 })).toBe(2);
  });

  it('are removed in batches with a plan that runs the search for each row of the table', async () => {
    await openUploads();
    expect(await expireUploads({ ...core, database: withNestedLoops(core.database) }, { limit: 4 })).toBe(4);
  });
});
