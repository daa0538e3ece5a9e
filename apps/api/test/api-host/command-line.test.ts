import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandLineRouter } from '../../src/api-host/command-line.ts';
import { listen, type SampleApi } from './sample-api.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-cli-'));
const apis: SampleApi[] = [];
const open = async (origin: string, packageFolder: string): Promise<string> => {
  const api = await listen(commandLineRouter(origin, packageFolder));
  apis.push(api);
  return `${api.url}/cli.tgz`;
};
beforeAll(() => writeFileSync(join(folder, 'package.json'), '{"name":"sample"}'));
afterAll(async () => {
  for (const api of apis) await api.close();
  rmSync(folder, { recursive: true });
});

it('equal packages of one server have equal tarballs, so that workers agree; another server has another tarball', async () => {
  const addresses = [
    await open('https://a.example', folder),
    await open('https://a.example', folder),
    await open('https://b.example', folder),
  ];
  const etags = await Promise.all(addresses.map(async (address) => (await fetch(address)).headers.get('etag')));
  expect(etags[0]).toBe(etags[1]);
  expect(etags[0]).not.toBe(etags[2]);
});

it('a server whose command line was not built answers 404, until it is built', async () => {
  const missing = join(folder, 'missing');
  const address = await open('https://a.example', missing);
  const response = await fetch(address);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({
    error: 'not_found',
    message: 'This server does not have the command line. Its operator can run "npm run build:cli".',
  });
  mkdirSync(missing);
  writeFileSync(join(missing, 'package.json'), '{}');
  expect((await fetch(address)).status).toBe(200);
});
