import { expect, test } from 'vitest';
import { type Entry, type KeptState, withoutOldClaim, withoutOldest } from '../../src/main/publishing/entry.ts';
import type { Published } from '../../src/shared/publishing.ts';

const NOW = 1_790_000_000_000;
const PUBLISHED: Published = {
  deployment: 'calm-otter-4k9x2qd',
  url: 'https://calm-otter-4k9x2qd.sites.example',
  domain: null,
  server: 'https://berth.example',
  files: 1,
  bytes: 1,
  at: NOW,
  expires: null,
  claim: null,
  password: false,
  copied: false,
  notices: [],
};
const CLAIMABLE = { ...PUBLISHED, expires: NOW / 1_000 + 60, claim: 'https://berth.example/claim/0' };

const entry = (id: string, state: KeptState): Entry => ({
  id,
  name: id,
  begun: NOW,
  server: 'https://berth.example',
  anonymous: false,
  source: { kind: 'folder', path: '/srv/site' },
  options: {},
  password: false,
  sure: false,
  state,
  leftOut: [],
});

test('of more than 100 the oldest ones go: first what is at its end, last what can be claimed, never what is open', () => {
  const oldest = [
    entry('claimable', { is: 'published', published: CLAIMABLE }),
    entry('open', { is: 'unfinished' }),
    entry('asking', { is: 'asking' }),
    entry('too-late', { is: 'published', published: { ...CLAIMABLE, expires: NOW / 1_000 } }),
    entry('published', { is: 'published', published: PUBLISHED }),
    entry('cancelled', { is: 'cancelled' }),
  ].toReversed();
  const newer = (count: number) => Array.from({ length: count }, (_, i) => entry(`${i}`, { is: 'cancelled' }));
  const left = (count: number) => {
    const stay = new Set(withoutOldest([...newer(count), ...oldest], NOW).map(({ id }) => id));
    return oldest.map(({ id }) => id).filter((id) => stay.has(id));
  };
  expect(left(94)).toHaveLength(6);
  expect(left(95)).toEqual(['cancelled', 'published', 'asking', 'open', 'claimable']);
  expect(left(97)).toEqual(['asking', 'open', 'claimable']);
  const open = Array.from({ length: 100 }, (_, i) => entry(`${i}`, { is: 'unfinished' }));
  expect(withoutOldest([...open, ...oldest], NOW).map(({ id }) => id)).toEqual([
    ...open.map(({ id }) => id),
    'asking',
    'open',
  ]);
});

test('a claim is told until its deployment is gone', () => {
  expect(withoutOldClaim(CLAIMABLE, NOW)).toEqual(CLAIMABLE);
  expect(withoutOldClaim(CLAIMABLE, NOW + 60_000)).toEqual({ ...CLAIMABLE, claim: null });
});
