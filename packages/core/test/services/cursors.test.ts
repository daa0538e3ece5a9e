import { randomBytes } from 'node:crypto';
import { useTestCore, deploySite } from '@berth/testing/core';
import { sweepAll } from '@berth/testing/invariants';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CursorScope, decodeCursor, encodeCursor, toPage } from '../../src/services/cursors.ts';
import { deleteDeployment, listDeployments } from '../../src/services/deployments/deployments.ts';

const SITE = { 'index.html': 'hello' };
const cursorRefusal = expect.objectContaining({
  code: 'validation_failed',
  status: 400,
  details: { issues: [expect.objectContaining({ path: 'cursor' })] },
});

const test = await useTestCore();

describe('T23: a cursor', () => {
  const scope = (account = 'acc-1', list = 'deployments'): CursorScope => ({ core: test.core, account, list });

  const key = fc.array(fc.oneof(fc.maxSafeNat(), fc.string({ unit: 'grapheme' })), { maxLength: 4 });

  it('can be decoded in its own scope, and is safe in a URL', () => {
    fc.assert(
      fc.property(key, (values) => {
        const cursor = encodeCursor(scope(), values);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(scope(), cursor)).toEqual(values);
      }),
    );
  });

  it('is refused if any of its bits is flipped', () => {
    fc.assert(
      fc.property(key, fc.nat(), (values, at) => {
        const bytes = Buffer.from(encodeCursor(scope(), values), 'base64url');
        const bit = at % (bytes.length * 8);
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        expect(() => decodeCursor(scope(), bytes.toString('base64url'))).toThrow(cursorRefusal);
      }),
      { numRuns: 300 },
    );
  });

  it('is refused in every scope except its own', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('acc-1', 'acc-2', 'deployments', 'domains', '","', ''));
    fc.assert(
      fc.property(key, name, name, name, name, (values, account, list, otherAccount, otherList) => {
        fc.pre(account !== otherAccount || list !== otherList);
        const cursor = encodeCursor(scope(account, list), values);
        expect(decodeCursor(scope(account, list), cursor)).toEqual(values);
        expect(() => decodeCursor(scope(otherAccount, otherList), cursor)).toThrow(cursorRefusal);
      }),
      { numRuns: 300 },
    );
  });

  it('is refused if it is an arbitrary text', () => {
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...characters), maxLength: 120 }),
    );
    fc.assert(
      fc.property(text, (cursor) => {
        expect(() => decodeCursor(scope(), cursor)).toThrow(cursorRefusal);
      }),
    );
  });

  it.each([
    ['empty', () => ''],
    ['a word', () => 'cursor'],
    ['cut at its start', () => encodeCursor(scope(), [5]).slice(1)],
    ['cut at its end', () => encodeCursor(scope(), [5]).slice(0, -1)],
    ['encoded with padding', () => `${encodeCursor(scope(), [5])}=`],
    ['followed by additional text', () => `${encodeCursor(scope(), [5])}AAAA`],
    ['only a MAC', () => Buffer.alloc(16).toString('base64url')],
    ['random bytes', () => randomBytes(60).toString('base64url')],
    ['made for a scope whose names join to the same text', () => encodeCursor(scope('acc-1","deployments'), [5])],
    [
      'made with another key',
      () =>
        encodeCursor({ ...scope(), core: { ...test.core, keys: { ...test.core.keys, cursor: randomBytes(32) } } }, [5]),
    ],
  ])('is refused if it is %s', (_, make) => {
    expect(() => decodeCursor(scope(), make())).toThrow(cursorRefusal);
  });
});

describe('api §1: the pages of a list', () => {
  it('have a next cursor only if there are more rows', () => {
    const scope: CursorScope = { core: test.core, account: 'acc-1', list: 'numbers' };
    expect(toPage(scope, [1, 2], 2, (n) => [n])).toEqual({ rows: [1, 2] });
    expect(toPage(scope, [], 2, (n) => [n])).toEqual({ rows: [] });
    const { rows, nextCursor } = toPage(scope, [1, 2, 3], 2, (n) => [n]);
    expect(rows).toEqual([1, 2]);
    expect(decodeCursor(scope, nextCursor!)).toEqual([2]);
  });

  it('contain each remaining row exactly once while other rows are inserted and deleted', async () => {
    const { caller } = await test.account('scale');
    const createdIds: string[] = [];
    for (let i = 0; i < 21; i += 1) createdIds.push((await deploySite(test.core, caller, SITE)).body.deployment);
    const idsToDelete = new Set(createdIds.filter((_, i) => i % 4 === 1));
    const listedIds: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; ; pages += 1) {
      const page = await listDeployments({ core: test.core, caller }, { limit: 3, ...(cursor && { cursor }) });
      listedIds.push(...page.deployments.map(({ deployment }) => deployment));
      cursor = page.nextCursor;
      if (!cursor) break;
      const [victim] = idsToDelete;
      if (victim) {
        idsToDelete.delete(victim);
        await deleteDeployment({ core: test.core, caller }, victim);
        await sweepAll(test);
      }
      await deploySite(test.core, caller, SITE);
      expect(pages).toBeLessThan(20);
    }
    const remainingIds = createdIds.filter((_, i) => i % 4 !== 1).toReversed();
    expect(new Set(listedIds).size).toBe(listedIds.length);
    expect(listedIds.filter((id) => remainingIds.includes(id))).toEqual(remainingIds);
  });
});
