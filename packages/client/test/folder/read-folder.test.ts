import { execFileSync } from 'node:child_process';
import {
  type BigIntStats,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ClientError, issuesOf } from '../../src/errors.ts';
import { defaultCacheDir } from '../../src/folder/cache-files.ts';
import { isSettled } from '../../src/folder/file-state.ts';
import { type ReadFolder, readFolder } from '../../src/folder/read-folder.ts';
import { collectEvents, makeFolder } from './folders.ts';

/** Reads a folder. @returns Its events and its result. */
const readEvents = (folder: string, cacheDir = makeFolder()) => collectEvents(readFolder(folder, { cacheDir }));

const read = async (folder: string, cacheDir?: string): Promise<ReadFolder> =>
  (await readEvents(folder, cacheDir)).result;

const pathsOf = ({ files }: ReadFolder) => files.map(({ path }) => path);
const skippedIn = ({ skipped }: ReadFolder) => skipped.map(({ path, reason }) => `${path}: ${reason}`);

describe('readFolder', () => {
  test('returns every file with size and SHA-256, sorted by path in code unit order', async () => {
    const folder = makeFolder({ 'b.txt': 'b', 'B.txt': 'B', 'a/z.txt': '', 'a.txt': 'a', 'é.txt': 'e', 'a/b/c': 'c' });
    const { files, totalBytes, skipped } = await read(folder);
    expect(files.map(({ path }) => path)).toEqual(['B.txt', 'a.txt', 'a/b/c', 'a/z.txt', 'b.txt', 'é.txt']);
    expect(files[1]).toEqual({
      path: 'a.txt',
      size: 1,
      sha256: 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb',
    });
    expect([totalBytes, skipped]).toEqual([5, []]);
  });

  test('skips and reports links, both to the outside and to the inside (T3)', async () => {
    const [folder, outside] = [makeFolder({ 'index.html': 'hi' }), makeFolder({ 'secret.txt': 'secret' })];
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'out.txt'));
    symlinkSync(outside, join(folder, 'out'));
    symlinkSync('index.html', join(folder, 'in.html'));
    symlinkSync('.', join(folder, 'loop'));
    symlinkSync('nowhere', join(folder, 'broken'));
    const foundFiles = await read(folder);
    expect(pathsOf(foundFiles)).toEqual(['index.html']);
    expect(skippedIn(foundFiles)).toEqual([
      'broken: link',
      'in.html: link',
      'loop: link',
      'out: link',
      'out.txt: link',
    ]);
  });

  test('skips and reports private files, at any depth (api §3)', async () => {
    const key = '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n';
    const folder = makeFolder({
      'index.html': 'hi',
      '.env': 'A=1',
      'sub/.env.local': 'A=1',
      '.git/config': '[core]',
      'sub/.git': 'gitdir: ../.git',
      'node_modules/x/index.js': 'x',
      'docs/node_modules/kept.txt': 'kept',
      id_rsa: key,
      'ssl/server.pem': key,
      'ssl/large.key': Buffer.concat([Buffer.alloc(600_000, ' '), Buffer.from(key)]),
      'ssl/server.crt.pem': '-----BEGIN CERTIFICATE-----\n',
    });
    const foundFiles = await read(folder);
    expect(pathsOf(foundFiles)).toEqual(['docs/node_modules/kept.txt', 'index.html', 'ssl/server.crt.pem']);
    expect(foundFiles.skipped).toEqual(
      ['.env', '.git/', 'id_rsa', 'node_modules/', 'ssl/large.key', 'ssl/server.pem', 'sub/.env.local', 'sub/.git'].map(
        (path) => ({ path, reason: 'private' }),
      ),
    );
  });

  test('skips a private key even if its hash is cached', async () => {
    const [folder, cache] = [makeFolder({ 'a.txt': 'a', 'server.pem': '-----BEGIN PRIVATE KEY-----' }), makeFolder()];
    for (let i = 0; i < 2; i += 1) expect(pathsOf(await read(folder, cache))).toEqual(['a.txt']);
  });

  test('skips and reports junk, pipes and sockets', async () => {
    const folder = makeFolder({ 'a.txt': 'a', '.DS_Store': 'x', 'b/Thumbs.db': 'x', '__MACOSX/a.txt': 'x' });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const server = createServer().listen(join(folder, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const foundFiles = await read(folder);
    expect(pathsOf(foundFiles)).toEqual(['a.txt']);
    const junkLines = ['.DS_Store: junk', '__MACOSX/: junk', 'b/Thumbs.db: junk'];
    expect(skippedIn(foundFiles)).toEqual([...junkLines, 'pipe: not-a-file', 'socket: not-a-file']);
  });

  test('skips .berthignore, and the files that .berthignore lists in the syntax of .gitignore', async () => {
    const folder = makeFolder({
      '.berthignore': '# drafts\n*.map\n!keep.map\n/drafts/\nsub/**/x.txt\n!.env\n',
      'a.js': 'a',
      'a.js.map': 'm',
      'keep.map': 'k',
      'drafts/one.html': 'd',
      'sub/drafts/two.html': 'd',
      'sub/deep/er/x.txt': 'x',
      'sub/.berthignore': 'two.html',
      '.env': 'A=1',
    });
    const foundFiles = await read(folder);
    expect(pathsOf(foundFiles)).toEqual(['a.js', 'keep.map', 'sub/.berthignore', 'sub/drafts/two.html']);
    const ignoredLines = ['a.js.map: ignored', 'drafts/: ignored', 'sub/deep/er/x.txt: ignored'];
    expect(skippedIn(foundFiles)).toEqual(['.berthignore: ignored', '.env: private', ...ignoredLines]);
  });

  test('returns names in NFC, and finds files by their names on disk', async () => {
    const diskName = 'cafe\u0301/e\u0301.txt';
    const { files, diskNames } = await read(makeFolder({ [diskName]: 'x' }));
    expect(files[0]?.path).toBe('café/é.txt'.normalize('NFC'));
    expect([...diskNames]).toEqual([['café/é.txt'.normalize('NFC'), diskName]]);
  });

  test('follows a link to the folder itself', async () => {
    const [folder, elsewhere] = [makeFolder({ 'a.txt': 'a' }), makeFolder()];
    symlinkSync(folder, join(elsewhere, 'dist'));
    expect(pathsOf(await read(join(elsewhere, 'dist')))).toEqual(['a.txt']);
  });
});

describe('readFolder refuses a folder', () => {
  const refusal = (folder: string) =>
    read(folder).then(
      () => null,
      (error: unknown) => (error instanceof ClientError ? error : null),
    );

  const NAMES = [
    ['what?.html', 'a path must not contain any of # ? % < > " (this one has ?)'],
    ['a\\b.html', 'folders must be separated by "/", not by "\\"'],
    ['new\nline.txt', 'a path must not contain control or direction characters'],
  ] as const;
  test.each(NAMES)('that contains %j', async (name, reason) => {
    const folder = makeFolder({ 'index.html': 'hi', [name]: 'x' });
    expect(await refusal(folder)).toMatchObject({ kind: 'folder', file: name, message: `${name}: ${reason}.` });
  });

  test('with one error that names all files with invalid names, in all subfolders', async () => {
    const names = ['what?.html', 'a/100%', 'a/b\\c'];
    const error = await refusal(makeFolder(Object.fromEntries([...names, 'index.html'].map((name) => [name, 'x']))));
    expect(error).toMatchObject({ kind: 'folder', message: expect.stringMatching(/ \(and 2 more files\)\.$/) });
    const paths = issuesOf(error!).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(names.toSorted());
    expect(error!.file).toBe(paths[0]);
  });

  test('with 60 invalid files, of which the error names 50 and counts the others', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `${at}?.html`);
    const error = await refusal(makeFolder(Object.fromEntries(names.map((name) => [name, 'x']))));
    expect(error!.message).toContain('(and 59 more files, 10 of them not listed)');
    expect(issuesOf(error!)).toHaveLength(50);
  });

  test('with an invalid file, unless .berthignore lists the file', async () => {
    const folder = makeFolder({ 'index.html': 'hi', 'what?.html': 'x', '.berthignore': 'what*' });
    expect(pathsOf(await read(folder))).toEqual(['index.html']);
  });

  test('in which two names give the same path (T2)', async () => {
    const folder = makeFolder({ 'é.txt': '1', 'e\u0301.txt': '2' });
    expect(await refusal(folder)).toMatchObject({ kind: 'folder', file: 'é.txt' });
  });

  test('that does not exist, or is a file but no HTML file', async () => {
    const folder = makeFolder({ 'a.txt': 'a' });
    for (const path of ['nothing', 'a.txt'])
      expect(await refusal(join(folder, path))).toMatchObject({ kind: 'folder', file: null });
  });

  const asOtherUser = process.getuid?.() === 0 ? () => process.seteuid?.(65_534) : () => {};
  const asBefore = process.getuid?.() === 0 ? () => process.seteuid?.(0) : () => {};
  test.each([
    ['private.txt', 'private.txt'],
    ['private/a.txt', 'private/'],
  ])('in which %s cannot be read, and the error names the path', async (file, named) => {
    const folder = makeFolder({ 'index.html': 'hi', [file]: 'x' });
    chmodSync(folder, 0o755);
    chmodSync(join(folder, named), 0o000);
    asOtherUser();
    try {
      expect(await refusal(folder)).toMatchObject({
        kind: 'folder',
        file: named,
        message: `${named}: permission denied.`,
      });
    } finally {
      asBefore();
      chmodSync(join(folder, named), 0o700);
    }
  });
});

describe('a file that changes while it is read', () => {
  test('is read again, and returned in its last state', async () => {
    const folder = makeFolder();
    const path = join(folder, 'big.bin');
    writeFileSync(path, Buffer.alloc(4 * 1024 * 1024));
    const events = readFolder(folder, { cacheDir: makeFolder() });
    const firstEvent = await events.next();
    expect(firstEvent.value).toMatchObject({ type: 'walked' });
    writeFileSync(path, 'finished');
    const { result } = await collectEvents(events);
    expect(result).toMatchObject({ totalBytes: 8, files: [{ path: 'big.bin', size: 8 }] });
  });

  test('causes an error if it never stops changing', async () => {
    const folder = makeFolder();
    const path = join(folder, 'big.bin');
    writeFileSync(path, Buffer.alloc(1024 * 1024));
    let size = 0;
    const writeTimer = setInterval(() => writeFileSync(path, Buffer.alloc(1024 * 1024 + (size += 1))), 1);
    onTestFinished(() => clearInterval(writeTimer));
    await expect(read(folder)).rejects.toMatchObject({
      kind: 'folder',
      file: 'big.bin',
      message: 'big.bin: the file keeps changing; try again when it is complete.',
    });
  });
});

describe('the hash cache', () => {
  /** Reads a folder. Returns the number of files that the cache knew, and the result. */
  async function cachedOf(folder: string, cache: string) {
    const { events, result } = await readEvents(folder, cache);
    const lastEvent = events.at(-1);
    return { cached: lastEvent?.type === 'hashed' ? lastEvent.cached.files : null, result };
  }
  /** Waits until files that were just written are settled. */
  const waitForTicks = () => new Promise((resolve) => setTimeout(resolve, 30));

  test('avoids reading files whose state has not changed', async () => {
    const [folder, cache] = [makeFolder({ 'a.txt': 'a', 'b.txt': 'b' }), makeFolder()];
    await waitForTicks();
    expect((await cachedOf(folder, cache)).cached).toBe(0);
    const repeatedRead = await cachedOf(folder, cache);
    expect(repeatedRead.cached).toBe(2);
    expect(repeatedRead.result.files.map(({ size }) => size)).toEqual([1, 1]);
  });

  const CHANGES = [
    ['a file with another content', (path: string) => writeFileSync(path, 'B')],
    [
      'another file with the same name',
      (path: string) => {
        writeFileSync(`${path}.new`, 'B');
        renameSync(`${path}.new`, path);
      },
    ],
  ] as const;
  test.each(CHANGES)('detects %s, even if size and time are the same', async (_, change) => {
    const [folder, cache] = [makeFolder({ 'a.txt': 'A' }), makeFolder()];
    await waitForTicks();
    const readBefore = (await cachedOf(folder, cache)).result;
    const path = join(folder, 'a.txt');
    const { atime, mtime } = statSync(path);
    change(path);
    utimesSync(path, atime, mtime);
    const { cached, result } = await cachedOf(folder, cache);
    expect(cached).toBe(0);
    expect(result.files[0]?.sha256).not.toBe(readBefore.files[0]?.sha256);
  });

  test('does not reuse the hash of a file that was written just before it was read', async () => {
    const [folder, cache] = [makeFolder(), makeFolder()];
    for (const content of ['1', '2', '3', '4', '5']) {
      writeFileSync(join(folder, 'a.txt'), content);
      const { result } = await cachedOf(folder, cache);
      const { result: fresh } = await cachedOf(folder, makeFolder());
      expect(result.files).toEqual(fresh.files);
    }
  });

  test('can be read only by its owner, and forgets deleted files', async () => {
    const [folder, cache] = [makeFolder({ 'a.txt': 'a', 'gone.txt': 'b' }), makeFolder()];
    await waitForTicks();
    await read(folder, cache);
    rmSync(join(folder, 'gone.txt'));
    await read(folder, cache);
    const [name] = readdirSync(join(cache, 'hashes'));
    const path = join(cache, 'hashes', name!);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toContain('gone.txt');
  });

  const DAMAGED_CACHES = ['{"version":99,"entries":[["a.txt","x","y"]]}', '{"version":1,"entries":[[1]]}'];
  test.each(['', '{', 'null', '[]', ...DAMAGED_CACHES])('is ignored if its text is %j', async (text) => {
    const [folder, cache] = [makeFolder({ 'a.txt': 'a' }), makeFolder()];
    await waitForTicks();
    const { files } = await read(folder, cache);
    const [name] = readdirSync(join(cache, 'hashes'));
    writeFileSync(join(cache, 'hashes', name!), text);
    expect((await read(folder, cache)).files).toEqual(files);
    expect((await cachedOf(folder, cache)).cached).toBe(1);
  });

  test('is not needed: a folder is read even if the cache cannot be written', async () => {
    const [folder, cache] = [makeFolder({ 'a.txt': 'a' }), makeFolder()];
    writeFileSync(join(cache, 'hashes'), 'a file in the way');
    expect(pathsOf(await read(folder, cache))).toEqual(['a.txt']);
  });
});

const NOW_MS = 1_800_000_000_500;
const agoNs = (ms: number) => BigInt(NOW_MS - ms) * 1_000_000n + 123n;
const wholeSecondAgoNs = (seconds: number) => BigInt(Math.floor(NOW_MS / 1000) - seconds) * 1_000_000_000n;

test.each([
  ['a file written long ago is settled', agoNs(60_000), agoNs(60_000), true],
  ['a file written a moment ago is not settled', agoNs(5), agoNs(5), false],
  ['a file written more than a tick of a fine clock ago is settled', agoNs(30), agoNs(30), true],
  ['a file written a second ago on a coarse clock is not settled', wholeSecondAgoNs(1), wholeSecondAgoNs(1), false],
  ['a file written more than a tick of a coarse clock ago is settled', wholeSecondAgoNs(3), wholeSecondAgoNs(3), true],
  ['a file whose time was set to long ago a moment ago is not settled', agoNs(60_000), agoNs(5), false],
  ['a file written in the future is not settled', agoNs(-60_000), agoNs(60_000), false],
])('isSettled recognises a recent write: %s', (_, mtimeNs, ctimeNs, settled) => {
  expect(isSettled({ mtimeNs, ctimeNs } as BigIntStats, NOW_MS)).toBe(settled);
});

test.each([
  ['linux', {}, join(homedir(), '.cache/berth')],
  ['linux', { XDG_CACHE_HOME: '/var/me/cache' }, '/var/me/cache/berth'],
  ['linux', { XDG_CACHE_HOME: '' }, join(homedir(), '.cache/berth')],
  ['darwin', {}, join(homedir(), 'Library/Caches/berth')],
  ['win32', { LOCALAPPDATA: '/users/me/local' }, '/users/me/local/berth/Cache'],
] as const)('on %s with the variables %o, the cache is in the system cache folder', (platform, env, folder) => {
  expect(defaultCacheDir(env, platform)).toBe(folder);
});

describe('reading a folder', () => {
  test('emits progress, and the total in the last event', async () => {
    const folder = makeFolder({ 'a.txt': 'a', 'b.bin': Buffer.alloc(300_000), '.env': 'x' });
    const { events } = await readEvents(folder);
    const totalAmount = { files: 2, bytes: 300_001 };
    expect(events[0]).toEqual({ type: 'walked', total: totalAmount, skipped: [{ path: '.env', reason: 'private' }] });
    expect(events.at(-1)).toEqual({
      type: 'hashed',
      done: totalAmount,
      total: totalAmount,
      cached: { files: 0, bytes: 0 },
    });
  });

  test('returns no files if the folder is empty', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'empty'));
    const { events, result } = await readEvents(folder);
    expect(result).toMatchObject({ files: [], totalBytes: 0, skipped: [] });
    expect(events.map(({ type }) => type)).toEqual(['walked', 'hashed']);
  });

  test('stops if the caller aborts before or during the reading', async () => {
    const folder = makeFolder({ 'a.bin': Buffer.alloc(20 * 1024 * 1024) });
    const abortedRead = readFolder(folder, { cacheDir: makeFolder(), signal: AbortSignal.abort() });
    await expect(abortedRead.next()).rejects.toMatchObject({ kind: 'aborted' });
    const aborting = new AbortController();
    const events = readFolder(folder, { cacheDir: makeFolder(), signal: aborting.signal });
    await events.next();
    aborting.abort();
    await expect(collectEvents(events)).rejects.toMatchObject({ kind: 'aborted' });
  });
});
