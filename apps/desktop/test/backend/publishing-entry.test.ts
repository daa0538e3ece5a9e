import { expect, test } from 'vitest';
import { type Entry, type StoredState, withoutOldClaim, withoutOldest } from '../../src/main/publishing/entry.ts';
import { ENTRY, NOW, PUBLISHED } from './samples.ts';

const CLAIMABLE_SITE = { ...PUBLISHED, expires: NOW / 1_000 + 60, claim: 'https://berth.example/claim/0' };

const entry = (id: string, state: StoredState): Entry => ({ ...ENTRY, id, name: id, state });

test('the publish list keeps 100 items: it drops finished ones first, claimable ones last, and open ones never', () => {
  const oldestEntries = [
    entry('claimable', { is: 'published', published: CLAIMABLE_SITE }),
    entry('open', { is: 'unfinished' }),
    entry('asking', { is: 'asking' }),
    entry('too-late', { is: 'published', published: { ...CLAIMABLE_SITE, expires: NOW / 1_000 } }),
    entry('published', { is: 'published', published: PUBLISHED }),
    entry('cancelled', { is: 'cancelled' }),
  ].toReversed();
  const newerEntries = (count: number) => Array.from({ length: count }, (_, i) => entry(`${i}`, { is: 'cancelled' }));
  const keptIds = (count: number) => {
    const keptSet = new Set(withoutOldest([...newerEntries(count), ...oldestEntries], NOW).map(({ id }) => id));
    return oldestEntries.map(({ id }) => id).filter((id) => keptSet.has(id));
  };
  expect(keptIds(94)).toHaveLength(6);
  expect(keptIds(95)).toEqual(['cancelled', 'published', 'asking', 'open', 'claimable']);
  expect(keptIds(97)).toEqual(['asking', 'open', 'claimable']);
  const openEntries = Array.from({ length: 100 }, (_, i) => entry(`${i}`, { is: 'unfinished' }));
  const ids = openEntries.map(({ id }) => id);
  expect(withoutOldest([...openEntries, ...oldestEntries], NOW).map(({ id }) => id)).toEqual([
    ...ids,
    'asking',
    'open',
  ]);
});

test('a publish job keeps its claim link until its deployment has expired', () => {
  expect(withoutOldClaim(CLAIMABLE_SITE, NOW)).toEqual(CLAIMABLE_SITE);
  expect(withoutOldClaim(CLAIMABLE_SITE, NOW + 60_000)).toEqual({ ...CLAIMABLE_SITE, claim: null });
});
