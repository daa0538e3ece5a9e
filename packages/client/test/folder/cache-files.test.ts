import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultCacheDir } from '../../src/folder/cache-files.ts';

const CASES = [
  ['linux', {}, join(homedir(), '.cache/berth')],
  ['linux', { XDG_CACHE_HOME: '/var/me/cache' }, '/var/me/cache/berth'],
  ['linux', { XDG_CACHE_HOME: '' }, join(homedir(), '.cache/berth')],
  ['darwin', {}, join(homedir(), 'Library/Caches/berth')],
  ['win32', { LOCALAPPDATA: '/users/me/local' }, '/users/me/local/berth/Cache'],
] as const;

test.each(CASES)('on %s with %o the cache is in the cache folder of the system', (platform, env, folder) => {
  expect(defaultCacheDir(env, platform)).toBe(folder);
});
