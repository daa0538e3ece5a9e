import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { expect, it } from 'vitest';
import { runBerth, wordsOf } from './run-berth.ts';

const server = useServer();

it('the README shows commands of the operator that succeed one after another as pasted', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../../../README.md'), 'utf8');
  const [, block] = /^## Operating it$.*?^```sh$(.*?)^```$/ms.exec(readme)!;
  const lines = [...block!.matchAll(/^npm run berth -- (.*)$/gm)].map(([, line]) => line!);
  expect(lines.length).toBeGreaterThan(5);

  const { deployment } = await server().publish({ 'index.html': 'front' });
  const env = testEnvironment(server().database, server().dataDir, { PORT: String(server().port) });
  for (const line of lines) {
    const words = wordsOf(line.replace(/calm-otter-\w{7}/, deployment));
    const { code, out, err } = await runBerth(env, ...words);
    if (line.startsWith('keys create')) server().secrets.add(out.trim());
    expect({ line, code, err }).toEqual({ line, code: 0, err: '' });
  }
});
