import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readDeepLink } from '../../src/main/shell/deep-link.ts';
import { readLaunch } from '../../src/main/shell/launches.ts';
import { events, PAGES } from '../../src/shared/contract.ts';

it('a link to the app can show every page of the window', () => {
  for (const page of PAGES) {
    expect(readDeepLink(`berth://show/${page}`)).toStrictEqual({ page });
    expect(readDeepLink(`berth://show/${page}/`)).toStrictEqual({ page });
  }
});

it('a link to the app only fills in the address of a server', () => {
  const filledIn = { page: 'settings', server: 'https://sites.example' };
  expect(readDeepLink('berth://add-server?address=https://sites.example')).toStrictEqual(filledIn);
  expect(readDeepLink('BERTH://add-server/?address=https%3A%2F%2Fsites.example%2F')).toStrictEqual(filledIn);
});

it.for([
  'berth://show',
  'berth://show/',
  'berth://show/secrets',
  'berth://show/sites/more',
  'berth://show/../sites/x',
  'berth://show/sites?delete=all',
  'berth://show/sites#x',
  'berth://SHOW/sites',
  'berth://me@show/sites',
  'berth://show:1/sites',
  'berth:show/sites',
  'berth:///show/sites',
  'berth-app://show/sites',
  'https://show/sites',
  'berth://publish?path=/etc',
  'berth://watch/etc',
  'berth://sign-in?key=1',
  'berth://add-server',
  'berth://add-server?address=',
  'berth://add-server?address=http://sites.example',
  'berth://add-server?address=javascript:alert(1)',
  'berth://add-server?address=https://user:word@sites.example',
  'berth://add-server?address=https://sites.example/path',
  'berth://add-server?address=https://sites.example?query',
  'berth://add-server?address=https://a.example&address=https://b.example',
  'berth://add-server?address=https://a.example&key=1',
  'berth://add-server?key=1&address=https://a.example',
  'berth://add-server/x?address=https://a.example',
  `berth://add-server?address=https://${'a'.repeat(3_000)}.example`,
  'berth:',
  'nonsense',
  '',
])('the app rejects the link %s (desktop §6)', (link) => expect(readDeepLink(link)).toBeNull());

it('readDeepLink returns null or a target that matches the contract for any text', () => {
  const text = fc.oneof(
    fc.string(),
    fc
      .tuple(fc.constantFrom('show/', 'add-server?address=https://', 'add-server?'), fc.string())
      .map(([a, b]) => `berth://${a}${b}`),
  );
  fc.assert(
    fc.property(text, (link) => {
      const target = readDeepLink(link);
      if (target !== null) expect(events.navigate.strict().parse(target)).toStrictEqual(target);
    }),
    { numRuns: 300 },
  );
});

const launch = (...args: string[]) => readLaunch(['/opt/berth', ...args], '/home/me', '/src/app');

it('folders in the arguments of a start are resolved against the working directory', () => {
  expect(launch('site', '/srv/other', '../up')).toStrictEqual({
    link: null,
    paths: ['/home/me/site', '/srv/other', '/home/up'],
    hidden: false,
  });
  expect(launch('--hidden', '--no-sandbox', '', '/src/app')).toStrictEqual({ link: null, paths: [], hidden: true });
  expect(launch('--hidden', 'site').hidden).toBe(false);
});

it('the app understands folders that a desktop passes as file URLs', () => {
  expect(launch('file:///srv/a%20site', 'FILE:///srv/b').paths).toStrictEqual(['/srv/a site', '/srv/b']);
  expect(launch('file://elsewhere/srv', 'file:///srv%2Fetc', 'file:///a%00b').paths).toStrictEqual([]);
});

it('other arguments next to a link are ignored, so that links cannot smuggle in folders (desktop §6)', () => {
  expect(launch('berth://show/sites', '/etc')).toStrictEqual({ link: 'berth://show/sites', paths: [], hidden: false });
  expect(launch('/etc', 'Berth:x')).toStrictEqual({ link: 'Berth:x', paths: [], hidden: false });
});
