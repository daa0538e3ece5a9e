import { join } from 'node:path';
import { useServer } from '@berth/api/testing/vitest';
import { expect, it } from 'vitest';
import { somebody, writeFiles } from './typed.ts';

const server = useServer();

it('berth open shows what was published last, a deployment, or a domain, however it is named', async () => {
  const opened: string[] = [];
  const { key } = await server().account('pro');
  const env = { BERTH_SERVER: `http://localhost:${server().port}`, BERTH_KEY: key };
  const { home, runs } = somebody(env, { openPage: async (url) => void opened.push(url) });
  const dist = writeFiles(join(home, 'dist'), { 'index.html': 'hi' });
  const { deployment } = JSON.parse((await runs(dist, '--domain', 'shown', '--json')).out);
  const domain = `http://shown.localhost:${server().port}`;
  const named: [words: string[], url: string][] = [
    [[], deployment.url],
    [[deployment.deployment], deployment.url],
    [[deployment.url], deployment.url],
    [['shown'], domain],
    [['shown.localhost'], domain],
    [[domain], domain],
  ];
  for (const [words, url] of named) expect(await runs('open', ...words)).toEqual({ code: 0, out: `${url}\n`, err: '' });
  expect(opened).toEqual(named.map(([, url]) => url));
  expect(await runs('open', 'another')).toMatchObject({ code: 4, err: 'Error: There is no such domain.\n' });
});
