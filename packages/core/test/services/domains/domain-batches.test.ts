import { createTestCore } from '@berth/testing/core';
import { withNestedLoops } from '@berth/testing/nested-loops';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { recheckDomains } from '../../../src/services/domains/domain-checks.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';

const MINUTE = 60;

const test = await createTestCore();
const { core } = test;
const { caller } = await test.account('scale');
beforeEach(() => test.database.query('delete from domain'));
afterAll(() => test.close());

let lastNumber = 0;
const addDomain = () => putDomain({ core, caller }, `www.site${(lastNumber += 1)}.com`, {});

describe('T28: the DNS checks in the background', () => {
  it('are limited in number for each run, and stop when they are aborted', async () => {
    await Promise.all(Array.from({ length: 6 }, () => addDomain()));
    test.advance(MINUTE);
    expect(await recheckDomains(core, { signal: AbortSignal.abort() })).toBe(0);
    expect(await recheckDomains(core, { batch: 2, batches: 2 })).toBe(4);
  });

  it('are limited in number with a plan that runs the search for each row of the table', async () => {
    await Promise.all(Array.from({ length: 6 }, () => addDomain()));
    test.advance(MINUTE);
    const database = withNestedLoops(core.database);
    expect(await recheckDomains({ ...core, database }, { batch: 2, batches: 1 })).toBe(2);
  });
});
