import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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
  const { mac } = configure({ CSC_LINK: 'certificate.p12' });
  expect(mac).toMatchObject({ hardenedRuntime: true, entitlementsInherit: mac?.entitlements });
  const entitlements = readFileSync(join(import.meta.dirname, '../..', mac!.entitlements!), 'utf8');
  expect([...entitlements.matchAll(/<key>(.*)<\/key>\s*<(\w+)\/>/g)].map(([, key, value]) => [key, value])).toEqual([
    ['com.apple.security.cs.allow-jit', 'true'],
  ]);
});

it('an unsigned package for macOS gets the signature of this machine, without the hardened runtime (R2)', () => {
  const { mac, electronFuses } = configure({});
  expect(mac).toMatchObject({ hardenedRuntime: false, identity: '-' });
  expect(electronFuses?.resetAdHocDarwinSignature).toBe(true);
  expect(configure({ CSC_LINK: 'certificate.p12' }).mac).not.toHaveProperty('identity');
});

it('Finder, Explorer and the file managers of Linux offer to open folders with the app (R10)', () => {
  const { mac, nsis, linux } = configure({});
  const [type] = (mac!.extendInfo as { CFBundleDocumentTypes: { LSItemContentTypes: string[] }[] })
    .CFBundleDocumentTypes;
  expect(type!.LSItemContentTypes).toContain('public.folder');
  const script = readFileSync(join(import.meta.dirname, '../..', String(nsis!.include)), 'utf8');
  expect(script).toContain('"Publish with Berth"');
  expect(linux!.mimeTypes).toContain('inode/directory');
});

it('there are packages for both processors on each system', () => {
  const { linux, win, mac } = configure({});
  for (const { target } of [linux!, win!])
    for (const each of [target ?? []].flat()) expect(each).toMatchObject({ arch: ['x64', 'arm64'] });
  expect([mac!.target].flat()).toMatchObject([{ target: 'dmg', arch: 'universal' }]);
});

it.for([{}, { BERTH_UPDATE_FEED: FEED }, { CSC_LINK: 'certificate.p12' }, { BERTH_NO_DOWNLOADS: '1' }])(
  'the configuration with %o matches the schema of the builder',
  async (env) => {
    const require = createRequire(import.meta.url);
    const library = createRequire(require.resolve('electron-builder')).resolve(
      'app-builder-lib/out/util/config/config.js',
    );
    const { validateConfiguration } = (await import(library)) as {
      validateConfiguration(configuration: unknown, logger: { isEnabled: boolean }): Promise<void>;
    };
    await validateConfiguration(configure(env), { isEnabled: false });
    const broken = { ...configure(env), nsis: { oneClick: 'yes' } };
    await expect(validateConfiguration(broken, { isEnabled: false })).rejects.toThrow('configuration.nsis');
  },
);
