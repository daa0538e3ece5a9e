import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configure } from '../../electron-builder.config.ts';
import { DESKTOP_NAME } from '../../src/main/shell/identity.ts';

const FEED = 'https://updates.berth.example/desktop';

it('packages with updates for macOS and Windows must be signed, or packaging fails (desktop §2)', () => {
  const { mac, win, publish } = configure({ BERTH_UPDATE_FEED: FEED });
  expect([mac?.forceCodeSigning, win?.forceCodeSigning]).toEqual([true, true]);
  expect(publish).toEqual({ provider: 'generic', url: FEED });
  const defaultConfig = configure({});
  expect([defaultConfig.mac?.forceCodeSigning, defaultConfig.win?.forceCodeSigning, defaultConfig.publish]).toEqual([
    false,
    false,
    null,
  ]);
});

it('on macOS a package with updates includes the zip archive that the updater needs', () => {
  const targets = (env: NodeJS.ProcessEnv) =>
    [configure(env).mac?.target ?? []].flat().map((target) => (typeof target === 'string' ? target : target.target));
  expect(targets({})).toEqual(['dmg']);
  expect(targets({ BERTH_UPDATE_FEED: FEED })).toEqual(['dmg', 'zip']);
});

it.for(['http://updates.berth.example', 'updates.berth.example', 'file:///srv/updates', 'ftp://a'])(
  'packaging refuses the update feed %s',
  (BERTH_UPDATE_FEED) => {
    expect(() => configure({ BERTH_UPDATE_FEED })).toThrow(/https:/);
  },
);

it('the name of the `.desktop` file contains a domain, which Linux portals require (desktop §2)', () => {
  expect(DESKTOP_NAME).toMatch(/^[a-z][a-z\d]*(\.[A-Za-z][A-Za-z\d_]*){2,}\.desktop$/);
});

it('on macOS the only entitlement of the hardened runtime is to compile at run time (desktop §4)', () => {
  const { mac } = configure({});
  expect(mac).toMatchObject({ hardenedRuntime: true, entitlementsInherit: mac?.entitlements });
  const entitlements = readFileSync(join(import.meta.dirname, '../..', mac!.entitlements!), 'utf8');
  expect([...entitlements.matchAll(/<key>(.*)<\/key>\s*<(\w+)\/>/g)].map(([, key, value]) => [key, value])).toEqual([
    ['com.apple.security.cs.allow-jit', 'true'],
  ]);
});
