import { join } from 'node:path';
import { startAnswering } from '@berth/testing/fake-servers';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { expect, it } from 'vitest';
import { createUser, envOf, writeFiles } from './user.ts';

const server = useServer();

it('berth open opens the last deployment, or a deployment or domain by any of its names', async () => {
  const openedUrls: string[] = [];
  const { key } = await server().account('pro');
  const { home, runInProcess } = createUser(envOf(server(), key), {
    openPage: async (url) => void openedUrls.push(url),
  });
  const dist = writeFiles(join(home, 'dist'), { 'index.html': 'hi' });
  const { deployment } = JSON.parse((await runInProcess(dist, '--domain', 'shown', '--json')).out);
  const domain = `http://shown.localhost:${server().port}`;
  const namedSites: [words: string[], url: string][] = [
    [[], deployment.url],
    [[deployment.deployment], deployment.url],
    [[deployment.url], deployment.url],
    [['shown'], domain],
    [['shown.localhost'], domain],
    [[domain], domain],
  ];
  for (const [words, url] of namedSites)
    expect(await runInProcess('open', ...words)).toEqual({ code: 0, out: `${url}\n`, err: '' });
  expect(openedUrls).toEqual(namedSites.map(([, url]) => new URL(url).href));
  expect(await runInProcess('open', 'another')).toMatchObject({
    code: 4,
    err: 'Error: There is no such domain.\nTo list what exists: berth domains\n',
  });
});

const NOT_PAGES =
  'smb://evil/share/x.exe file:///etc/passwd /etc/passwd vscode://x javascript:alert(1) --version x.exe';
const WITH_NAMES = ['https://berth.example@evil.example/', 'http://ada:secret@evil.example/'];
it.each([...NOT_PAGES.split(' '), ...WITH_NAMES, 'https://', ''])(
  'berth open refuses the address "%s" of a hostile server, and the error names the address',
  async (url) => {
    const openedUrls: string[] = [];
    const responseBody = { result: { data: { url, deployments: [{ url }] } } };
    const server = await startAnswering((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(responseBody));
    });
    const { runInProcess } = createUser(
      { BERTH_SERVER: server, BERTH_KEY: OWNER_KEY },
      { openPage: async (page) => void openedUrls.push(page) },
    );
    for (const words of [[], ['calm-otter-4k9x2qd'], ['www.example.com']]) {
      const { code, out, err } = await runInProcess('open', ...words);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toContain(`Error: The server sent ${JSON.stringify(url)}, which is not a web address`);
    }
    expect(openedUrls).toEqual([]);
  },
);
