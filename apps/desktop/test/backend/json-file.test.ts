import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openJsonFile } from '../../src/main/storage/json-file.ts';
import { makeHome } from '../harness/app/folders.ts';
import { type Desktop, makeSite, openDesktop } from './desktop.ts';

const schema = z.object({ count: z.int() });

const makePath = () => join(makeHome(), 'data', 'count.json');

const openCount = (path: string) => openJsonFile({ path, schema, initialValue: { count: 0 } });

const readCount = (path: string) => (JSON.parse(readFileSync(path, 'utf8')) as { count: number }).count;

describe('a JSON file (desktop §2)', () => {
  it('contains its changes when it is opened again, and only its owner can read it', async () => {
    const path = makePath();
    const file = await openCount(path);
    expect(file.value()).toEqual({ count: 0 });
    await file.change(({ count }) => ({ count: count + 1 }));

    expect((await openCount(path)).value()).toEqual({ count: 1 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  it('returns the newest value immediately; the value is on disk when the change resolves', async () => {
    const path = makePath();
    const file = await openCount(path);
    const changes = [];
    for (let count = 1; count <= 50; count += 1) {
      changes.push(file.change(() => ({ count })).then(() => expect(readCount(path)).toBeGreaterThanOrEqual(count)));
      expect(file.value()).toEqual({ count });
    }
    await Promise.all(changes);
    expect(readCount(path)).toBe(50);
    expect(readdirSync(join(path, '..'))).toEqual(['count.json']);
  });

  it('rejects a change that cannot be written and leaves no partial file; the next change writes the value', async () => {
    const path = makePath();
    const file = await openCount(path);
    await file.change(() => ({ count: 1 }));
    rmSync(path);
    mkdirSync(join(path, 'in-the-way'), { recursive: true });
    await expect(file.change(() => ({ count: 2 }))).rejects.toThrow();
    expect(file.value()).toEqual({ count: 2 });
    expect(readdirSync(join(path, '..'))).toEqual(['count.json']);

    rmSync(path, { recursive: true });
    await file.change((value) => value);
    expect(readCount(path)).toBe(2);
  });

  it('keeps its old value if only a part of the new value fits on the disk', () => {
    const home = makeSite({ 'count.json': 'old' });
    const path = join(home, 'count.json');
    const program = `
      import { replaceFile } from '${import.meta.resolve('@berth/client/replace-file')}';
      process.on('SIGXFSZ', () => {});
      const written = replaceFile(process.argv[1], 'x'.repeat(1_000_000));
      console.log(await written.then(() => 'written', ({ code }) => code));`;
    // A limit on the size of files behaves like a full disk: a write is cut short, and the next write fails.
    const command = 'ulimit -f 64; exec "$0" --input-type=module --eval "$1" "$2"';
    const { stdout } = spawnSync('sh', ['-c', command, process.execPath, program, path], { encoding: 'utf8' });
    expect(stdout.trim()).toBe('EFBIG');
    expect([readdirSync(home), readFileSync(path, 'utf8')]).toEqual([['count.json'], 'old']);
  });

  it.each([
    ['half written', '{"count":'],
    ['of another shape', '{"count":"three"}'],
    ['empty', ''],
  ])('that is %s is renamed and reported, and the initial value is used', async (_what, text) => {
    const path = makePath();
    mkdirSync(join(path, '..'));
    writeFileSync(path, text);
    const onDamaged = vi.fn<(path: string, copy: string) => void>();
    const file = await openJsonFile({ path, schema, initialValue: { count: 0 }, onDamaged });
    expect(file.value()).toEqual({ count: 0 });
    expect(onDamaged.mock.calls).toEqual([[path, `${path}.damaged`]]);
    expect(readFileSync(`${path}.damaged`, 'utf8')).toBe(text);
    await file.change(() => ({ count: 7 }));
    expect(readCount(path)).toBe(7);
  });

  it('that cannot be read causes an error and is not replaced', async () => {
    const path = makePath();
    mkdirSync(path, { recursive: true });
    await expect(openCount(path)).rejects.toThrow('EISDIR');
  });
});

/** No program listens at this address, because these tests need no server. */
const SERVER = 'http://localhost:1';

const noticesOf = ({ emitted }: Desktop) => emitted.filter(({ name }) => name === 'problem').map(({ data }) => data);

it.each([
  ['settings.json', 'Your settings could not be read', 'under Settings'],
  ['servers.json', 'The list of your servers could not be read', 'Add your servers again'],
  ['folders.json', 'The list of your watched folders could not be read', 'Watch your folders again'],
  ['publishings.json', 'The list of published items could not be read', 'Publish the queued items again'],
])(
  'a damaged %s is reported once, with the lost data, the place of the copy and the next step (desktop §8.5)',
  async (name, lost, next) => {
    const dataDir = makeHome();
    const copyPath = join(dataDir, `${name}.damaged`);
    writeFileSync(join(dataDir, name), '{"half": ');
    const desktop = await openDesktop({ server: SERVER, dataDir });
    expect(noticesOf(desktop)).toEqual([
      {
        problem: {
          kind: 'unexpected',
          message: expect.stringMatching(new RegExp(`^${lost}.*moved to ${copyPath}\\.$`)),
          next: expect.stringContaining(next),
          file: null,
        },
      },
    ]);
    expect(readFileSync(copyPath, 'utf8')).toBe('{"half": ');
    expect(noticesOf(await desktop.restart())).toEqual([]);
  },
);

it('missing and valid files are not reported', async () => {
  const desktop = await openDesktop({ server: SERVER });
  await desktop.ask('changeSettings', { theme: 'dark' });
  const restartedDesktop = await desktop.restart();
  expect([noticesOf(desktop), noticesOf(restartedDesktop)]).toEqual([[], []]);
  expect((await restartedDesktop.ask('readState', undefined)).settings.theme).toBe('dark');
});
