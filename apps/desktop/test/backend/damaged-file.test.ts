import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Desktop, openDesktop } from './desktop.ts';
import { makeHome } from '../harness/app/folders.ts';

/** Nothing listens at this address: these tests need no server. */
const SERVER = 'http://localhost:1';

const noticesOf = ({ emitted }: Desktop) => emitted.filter(({ name }) => name === 'problem').map(({ data }) => data);

test.each([
  ['settings.json', 'Your settings could not be read', 'under Settings'],
  ['servers.json', 'The list of your servers could not be read', 'Add your servers again'],
  ['folders.json', 'The list of your watched folders could not be read', 'Watch them again'],
  ['publishings.json', 'The list of published items could not be read', 'Publish the queued items again'],
])(
  'reports a damaged %s once: what is lost, where the copy is, and what to do (desktop §8.5)',
  async (name, lost, next) => {
    const dataDir = makeHome();
    const copy = join(dataDir, `${name}.damaged`);
    writeFileSync(join(dataDir, name), '{"half": ');
    const desktop = await openDesktop({ server: SERVER, dataDir });
    expect(noticesOf(desktop)).toEqual([
      {
        problem: {
          kind: 'unexpected',
          message: expect.stringMatching(new RegExp(`^${lost}.*moved to ${copy}\\.$`)),
          next: expect.stringContaining(next),
          file: null,
        },
      },
    ]);
    expect(readFileSync(copy, 'utf8')).toBe('{"half": ');
    expect(noticesOf(await desktop.restart())).toEqual([]);
  },
);

test('reports nothing about files that are missing or valid', async () => {
  const desktop = await openDesktop({ server: SERVER });
  await desktop.ask('changeSettings', { theme: 'dark' });
  const again = await desktop.restart();
  expect([noticesOf(desktop), noticesOf(again)]).toEqual([[], []]);
  expect((await again.ask('readState', undefined)).settings.theme).toBe('dark');
});
