import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@berth/testing/server';
import { expect, it, onTestFinished } from 'vitest';
import { SpooledFile } from '../../src/api-host/archives/spooled-file.ts';

it('a start removes temporary files that a killed process left', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'berth-spool-'));
  onTestFinished(() => rm(DATA_DIR, { recursive: true }));
  await mkdir(join(DATA_DIR, 'spool'));
  await writeFile(join(DATA_DIR, 'spool', '2b9390d3-2d61-4859-a953-c7778d29fd4b'), 'left');
  const server = await startServer({ env: { DATA_DIR } });
  onTestFinished(() => server.close());
  expect(await readdir(join(DATA_DIR, 'spool'))).toEqual([]);
});

it('a temporary file has no name, and works if another process removed its name first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-spool-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  let isDone = false;
  const removed = (async () => {
    while (!isDone) for (const name of await readdir(folder)) await rm(join(folder, name), { force: true });
  })();
  for (let round = 0; round < 200; round += 1) {
    const file = await SpooledFile.create(folder);
    await file.append(Buffer.from('abc'));
    expect((await file.read(0, 3)).toString()).toBe('abc');
    await file.close();
  }
  isDone = true;
  await removed;
  expect(await readdir(folder)).toEqual([]);
});
