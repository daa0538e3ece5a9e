import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readTogether } from '../../src/browser/read-together.ts';

it('reading blobs together returns the bytes of each', async () => {
  const texts = ['one', '', 'three'];
  const contents = await readTogether(texts.map((text) => new Blob([text])));
  expect(contents.map((content) => new TextDecoder().decode(content))).toEqual(texts);
});

it('reading blobs together fails if one of their files has changed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-blobs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'index.html');
  await writeFile(path, 'before');
  const changed = await openAsBlob(path);
  await writeFile(path, 'after the change');
  await expect(readTogether([new Blob(['unchanged']), changed])).rejects.toThrow('could not be read');
});
