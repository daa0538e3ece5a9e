import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mayOpen } from '../../src/main/shell/links.ts';
import { startedApp } from './started-app.ts';

const SERVERS = ['https://berth.example', 'http://localhost:4000', 'http://192.168.1.5:4000', 'http://[::1]:4000'];

it.for([
  'https://example.com/',
  'https://anything.example:8443/path?query#hash',
  'http://localhost:4000/claim/1',
  'http://my-site.localhost:4000/',
  'http://a.b.localhost:4000/',
  'http://192.168.1.5:4000/',
  'http://[::1]:4000/',
])('the app opens the link %s in the browser (desktop §6)', (url) => expect(mayOpen(url, SERVERS)?.href).toBe(url));

it.for([
  'https://user@example.com/',
  'https://user:password@example.com/',
  'https://:password@example.com/',
  'http://user@localhost:4000/',
  'http://example.com/',
  'http://berth.example/',
  'http://localhost/',
  'http://localhost:4001/',
  'http://notlocalhost:4000/',
  'http://localhost.example:4000/',
  'http://localhost:4000@example.com/',
  'http://x.192.168.1.5:4000/',
  'http://192.168.1.6:4000/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
  'mailto:a@b.example',
  'berth://show/sites',
  'berth-app://window/index.html',
  'smb://server/share',
  'ms-settings:',
  'about:blank',
  'https:',
  '//example.com/',
  'example.com',
  '/etc/passwd',
  '',
])('the app does not open the link %s (desktop §6)', (url) => expect(mayOpen(url, SERVERS)).toBeNull());

it('the app opens no http link if no known server uses http', () => {
  expect(mayOpen('http://localhost:4000/', ['https://localhost:4000'])).toBeNull();
  expect(mayOpen('http://localhost:4000/', [])).toBeNull();
});

it('a link of another scheme matches no server, although the origin of both is the string null (desktop §6)', () => {
  expect(mayOpen('berth-app://window/', ['other:x', 'null'])).toBeNull();
  expect(mayOpen('http://null/', ['other:x'])).toBeNull();
});

it('of arbitrary links, the app opens only https without credentials and http on known servers (desktop §6)', () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ validSchemes: ['http', 'https', 'ftp', 'berth'] }), fc.string()), (url) => {
      const isAllowed = mayOpen(url, SERVERS);
      if (isAllowed === null) return;
      expect(isAllowed.protocol === 'https:' || /^http:\/\/([^/@]+\.)?localhost:4000\//.test(isAllowed.href)).toBe(
        true,
      );
      expect(isAllowed.username + isAllowed.password).toBe('');
    }),
    { numRuns: 300 },
  );
});

it.each([
  'file:///etc/passwd',
  'smb://evil/share/x.exe',
  'vscode://x',
  'javascript:alert(1)',
  '/etc/passwd',
  'mailto:a@b.example',
])('the app does not pass the address %s to the system (desktop §6)', async (url) => {
  const { fake, backend } = await startedApp();
  await expect(backend.options.native.openExternal(url)).rejects.toThrow('only http and https');
  expect(fake.recorder.of('shell.openExternal')).toStrictEqual([]);
});
