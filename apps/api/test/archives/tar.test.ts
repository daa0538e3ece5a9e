import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync, constants } from 'node:zlib';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishArchive, refuseArchive } from './publish-archive.ts';
import { base256, pax, tar, TAR_END, type TarEntry, tarEntry, tarOf } from '@berth/testing/tar-bytes';

const MiB = 1024 * 1024;
/** The plan of the archives that exceed one. Smaller limits than usual need smaller archives. */
const LIMITS = { maxFileSize: 2 * MiB, maxTotalSize: 10 * MiB };
const server = useServer({ clean: true, plans: { free: { limits: LIMITS } } });

const HOME: TarEntry = { name: 'index.html', body: 'home' };
const LONG_NAME = `${'folder/'.repeat(30)}${'é'.repeat(100)}.html`;
/** A file and a sibling at the root, so that no folder is stripped. */
const withHome = (...entries: TarEntry[]): Buffer => tar([HOME, ...entries]);

describe('api §11: a tar archive', () => {
  it.each<[string, Buffer, string, string]>([
    [
      'with a name of ustar with a prefix',
      withHome({ name: 'b.html', prefix: 'docs', body: 'x' }),
      '/docs/b.html',
      'x',
    ],
    ['with a name of pax', withHome(pax({ path: LONG_NAME }), { name: 'short', body: 'x' }), `/${LONG_NAME}`, 'x'],
    [
      'with a long name of GNU',
      withHome({ name: '././@LongLink', type: 'L', body: `${LONG_NAME}\0` }, { name: 'short', body: 'x' }),
      `/${LONG_NAME}`,
      'x',
    ],
    ['with a size of pax', withHome(pax({ size: '3' }), { name: 'a', body: 'abc', size: 0 }), '/a', 'abc'],
    ['with a size in base 256', withHome({ name: 'a', body: 'abc', size: base256(3n) }), '/a', 'abc'],
    ['with the magic of GNU', withHome({ name: 'a', body: 'abc', magic: 'ustar  \0' }), '/a', 'abc'],
    ['without a magic', withHome({ name: 'a', body: 'abc', magic: '\0'.repeat(8) }), '/a', 'abc'],
    ['with a contiguous file', withHome({ name: 'a', body: 'abc', type: '7' }), '/a', 'abc'],
    ['with a global header', tar([pax({ comment: 'commit' }, 'g'), HOME]), '/', 'home'],
    ['with a volume label', tar([{ name: 'backup', type: 'V' }, HOME]), '/', 'home'],
    ['with an empty file', withHome({ name: 'empty.txt' }), '/empty.txt', ''],
    [
      'with names that begin with ./',
      tar([
        { name: './', type: '5' },
        { name: './index.html', body: 'x' },
      ]),
      '/',
      'x',
    ],
    ['with a folder of a size', tar([{ name: 'docs/', type: '5', size: 4096 }, HOME]), '/', 'home'],
    ['with zeros after its end', tar([HOME], Buffer.alloc(20 * 512)), '/', 'home'],
    ['with other bytes after its end', Buffer.concat([tar([HOME]), Buffer.from('junk'), tarEntry(HOME)]), '/', 'home'],
  ])('%s is published', async (_, archive, path, text) => {
    const { deployment } = await publishArchive(server(), archive);
    expect(await server().visit(deployment, encodeURI(path))).toMatchObject({ status: 200, text });
  });

  it.each<[string, Record<string, string>, (archive: Buffer) => Buffer]>([
    ['with a zstd window of 8 MiB', { 'Content-Type': 'application/zstd' }, (archive) => zstdFrame(23, archive)],
    ['as application/gzip', { 'Content-Type': 'application/gzip' }, (archive) => gzipSync(archive)],
    ['as application/zstd', { 'Content-Type': 'application/zstd' }, (archive) => zstdCompressSync(archive)],
    ['with Content-Encoding gzip', { 'Content-Encoding': 'gzip' }, (archive) => gzipSync(archive)],
    ['with Content-Encoding zstd', { 'Content-Encoding': 'ZSTD' }, (archive) => zstdCompressSync(archive)],
    [
      'in two gzip members',
      { 'Content-Type': 'application/gzip' },
      (archive) => Buffer.concat([gzipSync(archive.subarray(0, 700)), gzipSync(archive.subarray(700))]),
    ],
    ['with a type with a parameter', { 'Content-Type': 'Application/X-Tar; charset=binary' }, (archive) => archive],
  ])('%s is published', async (_, headers, encode) => {
    const { deployment } = await publishArchive(server(), encode(tarOf({ 'index.html': 'home', 'a.txt': 'a' })), {
      headers,
    });
    expect((await server().visit(deployment, '/a.txt')).text).toBe('a');
  });

  it('has the same outcome as a form with the same files, and the same Idempotency-Key replays it', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const files = { 'index.html': 'home', 'a.txt': 'a' };
    const { json, status } = await server().deploy(files, { headers, fields: { via: 'cli', labels: '["one-label"]' } });
    expect(status).toBe(201);
    const replayed = await publishArchive(server(), tarOf(files), { headers, query: 'via=cli&label=one-label' });
    expect(replayed).toEqual(json());
  });
});

describe('api §11: the one folder that contains all files', () => {
  it.each<[string, Record<string, string>, string, string]>([
    ['is stripped', { 'dist/index.html': 'x', 'dist/docs/a.html': 'x' }, '', '/docs/a.html'],
    ['is stripped if only junk is beside it', { 'dist/a.html': 'x', '.DS_Store': '', '__MACOSX/a': '' }, '', '/a.html'],
    ['is stripped after ./', { './dist/a.html': 'x' }, '', '/a.html'],
    ['is stripped once', { 'a/b/c.html': 'x' }, '', '/b/c.html'],
    ['is kept with strip=0', { 'dist/a.html': 'x' }, 'strip=0', '/dist/a.html'],
    ['is not stripped if a file is beside it', { 'dist/a.html': 'x', 'b.html': 'x' }, '', '/dist/a.html'],
    ['is not stripped if a file is before it', { 'b.html': 'x', 'dist/a.html': 'x' }, '', '/dist/a.html'],
    ['is not stripped if another folder is beside it', { 'dist/a.html': 'x', 'distant/b': '' }, '', '/dist/a.html'],
  ])('%s', async (_, files, query, path) => {
    const { deployment } = await publishArchive(server(), tarOf(files), { query });
    expect(await server().visit(deployment, path)).toMatchObject({ status: 200, text: 'x' });
  });

  it('is kept if its name begins with a dot, so that its files are not served', async () => {
    const { deployment } = await publishArchive(server(), tarOf({ '.private/index.html': 'secret' }));
    expect((await server().visit(deployment, '/')).status).toBe(404);
  });

  it('can contain the rule files', async () => {
    const { deployment } = await publishArchive(
      server(),
      tarOf({ 'dist/_redirects': '/old /new.html 301', 'dist/new.html': 'x' }),
    );
    expect(await server().visit(deployment, '/old')).toMatchObject({ status: 301, headers: { location: '/new.html' } });
  });

  it('is kept if the archive also has a file beside it, so that rule files in the folder do not apply to the site', async () => {
    const files = { 'dist/ship.json': 'not JSON', 'dist/_redirects': '/ /new.html 301', 'index.html': 'x' };
    const { deployment } = await publishArchive(server(), tarOf(files));
    expect(await server().visit(deployment, '/')).toMatchObject({ status: 200, text: 'x' });
  });

  it.each<[string, Record<string, string>, string]>([
    ['a ship.json in it is invalid', { 'dist/ship.json': 'not JSON', 'dist/a': '' }, 'ship.json'],
    ['an unbuilt project is in it', { 'my-project/node_modules/a/index.js': '' }, 'node_modules'],
    ['a name in it is a drive', { 'dist/C:/a': '' }, 'C:'],
  ])('is checked as if it were the archive: refused if %s', async (_, files, text) => {
    const { message } = await refuseArchive(server(), 'validation_failed', tarOf(files));
    expect(message).toContain(text);
  });
});

describe('security T41: an entry that is not a file', () => {
  it.each<[string, TarEntry, string]>([
    ['a symbolic link', { name: 'link', type: '2', linkname: '/etc/passwd' }, 'A symbolic link is not published.'],
    ['a hard link', { name: 'link', type: '1', linkname: 'index.html' }, 'A hard link is not published.'],
    ['a character device', { name: 'link', type: '3' }, 'A special file is not published.'],
    ['a block device', { name: 'link', type: '4' }, 'A special file is not published.'],
    ['a FIFO', { name: 'link', type: '6' }, 'A special file is not published.'],
    ['an unknown type', { name: 'link', type: 'Z', body: 'skipped' }, 'A special file is not published.'],
  ])('is left out and named in a warning: %s', async (_, entry, message) => {
    const { files, warnings } = await publishArchive(server(), withHome(entry));
    expect({ files, warnings }).toEqual({
      files: 1,
      warnings: [{ file: 'link', message: expect.stringContaining(message) }],
    });
  });

  it('is counted in the last warning after 100 of them', async () => {
    const links = Array.from({ length: 150 }, (_, i) => ({ name: `link-${i}`, type: '2', linkname: 'index.html' }));
    const { warnings } = await publishArchive(server(), withHome(...links));
    expect(warnings).toHaveLength(101);
    expect(warnings!.at(-1)!.message).toBe('50 more warnings are not listed.');
  });
});

describe('security T41: a tar archive is refused with 400', () => {
  it.each<[string, Buffer, string]>([
    ['an absolute name', withHome({ name: '/etc/passwd', body: 'x' }), 'relative'],
    ['an absolute name after ./', withHome({ name: './/etc/passwd', body: 'x' }), 'relative'],
    ['a drive letter', withHome({ name: 'C:/a.txt', body: 'x' }), 'drive'],
    ['a .. segment', withHome({ name: 'a/../../b', body: 'x' }), '".."'],
    ['a .. segment with backslashes', withHome({ name: String.raw`a\..\b`, body: 'x' }), '".."'],
    ['a .. segment of pax', withHome(pax({ path: '../b' }), { name: 'b', body: 'x' }), '".."'],
    ['a folder with a .. segment', withHome({ name: '../', type: '5' }), '".."'],
    ['a link with an absolute name', withHome({ name: '/link', type: '2', linkname: 'a' }), 'relative'],
    ['a name with a control character', withHome({ name: 'a\nb', body: 'x' }), 'control'],
    ['a name that is not UTF-8', withHome(pax({ path: 'a' }), { name: 'b' }, { name: 'x\ufffd' }), 'UTF-8'],
    ['an empty name', withHome({ name: '', body: 'x' }), 'empty'],
    ['the same name twice', withHome(HOME), 'name the same file'],
    ['the same name twice, once after ./', withHome({ ...HOME, name: './index.html' }), 'name the same file'],
    ['a file that is also a folder', withHome({ name: 'index.html/a', body: 'x' }), 'folder'],
    ['a private key', withHome({ name: 'id_rsa', body: 'x' }), 'private keys'],
    ['a private key in a .pem', withHome({ name: 'a.pem', body: '-----BEGIN PRIVATE KEY-----' }), 'private keys'],
    ['a program', withHome({ name: 'setup.exe', body: 'x' }), '.exe'],
    ['no file', tar([{ name: 'docs/', type: '5' }]), 'at least one file'],
    ['no entry', tar([]), 'at least one file'],
    ['no byte', Buffer.alloc(0), 'incomplete'],
    ['no end-of-archive marker', tar([HOME], Buffer.alloc(0)), 'end-of-archive'],
    ['half an end-of-archive marker', tar([HOME], Buffer.alloc(512)), 'end-of-archive'],
    ['a single block of zeros', Buffer.concat([tarEntry(HOME), Buffer.alloc(512), tar([{ name: 'a' }])]), 'zeros'],
    ['a wrong checksum', withHome({ name: 'a', checksumError: 1 }), 'checksum'],
    ['text', Buffer.from('x'.repeat(2_000)), 'checksum'],
    [
      'gzip with the type of tar',
      gzipSync(Buffer.from(Array.from({ length: 9_000 }, (_, i) => (i * i) >> 3))),
      'application/gzip',
    ],
    ['a size beyond its end', withHome({ name: 'a', body: 'x', size: 5_000 }), 'incomplete'],
    ['a size that is too small', withHome({ name: 'a', body: 'x'.repeat(1_024), size: 3 }), 'checksum'],
    ['a negative size', withHome({ name: 'a', size: Buffer.alloc(12, 0xff) }), 'size'],
    ['a size beyond 2^53', withHome({ name: 'a', size: base256(2n ** 62n) }), 'header is invalid'],
    ['a size that is no number', withHome({ name: 'a', size: Buffer.from('not a size!!') }), 'size'],
    ['a size of pax that is no number', withHome(pax({ size: '-1' }), { name: 'a' }), 'size'],
    ['a hard link of a size', withHome({ name: 'a', type: '1', body: 'x' }), 'size 0'],
    ['a symbolic link of a size', withHome({ name: 'a', type: '2', body: 'x' }), 'size 0'],
    ['a file named like a folder, with bytes', withHome(pax({ path: 'a/' }), { name: 'a', body: 'x' }), 'size 0'],
    ['a sparse file of GNU', withHome({ name: 'a', type: 'S', body: 'x' }), 'sparse'],
    ['a sparse file of pax', withHome(pax({ 'GNU.sparse.major': '1' }), { name: 'a', body: 'x' }), 'sparse'],
    ['a file of several volumes', withHome({ name: 'a', type: 'M', body: 'x' }), 'volume'],
    ['a record of pax that is too long', withHome({ ...pax({}), body: '99 path=a\n' }, { name: 'a' }), 'record'],
    ['a record of pax without a length', withHome({ ...pax({}), body: 'path=a\n' }, { name: 'a' }), 'record'],
    ['a record of pax without a key', withHome({ ...pax({}), body: '9 no-key\n' }, { name: 'a' }), 'record'],
    [
      'an extended header of 65 KiB',
      withHome(pax({ comment: 'x'.repeat(65 * 1024) }), { name: 'a' }),
      'extended header',
    ],
    ['a long name of 4 GiB', withHome({ name: 'L', type: 'L', size: 2 ** 32 }), 'extended header'],
  ])('if it has %s', async (_, archive, text) => {
    const { message } = await refuseArchive(server(), 'validation_failed', archive);
    expect(message).toContain(text);
  });

  const complete = tarOf({
    'index.html': 'x'.repeat(3_000),
    'docs/a.txt': 'y'.repeat(10_000),
    'b.bin': Buffer.alloc(777),
  });
  it.each(Array.from({ length: 34 }, (_, third) => 3 * third))(
    'if it ends after %i percent of its bytes',
    async (percent) => {
      const end = complete.length - TAR_END.length;
      await refuseArchive(server(), 'validation_failed', complete.subarray(0, Math.floor((end * percent) / 100)));
    },
  );

  const noise = Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * 7919 + ((i * i) >> 5)) & 0xff));
  it.each([
    ['gzip', gzipSync(tarOf({ 'a.bin': noise }))],
    ['zstd', zstdCompressSync(tarOf({ 'a.bin': noise }))],
  ])('if its %s ends anywhere before its end', async (coding, archive) => {
    for (let percent = 0; percent < 100; percent += 10)
      await refuseArchive(server(), 'validation_failed', archive.subarray(0, (archive.length * percent) / 100), {
        type: `application/${coding}`,
      });
  });

  it.each<[string, string, Buffer]>([
    ['gzip with a wrong CRC', 'application/gzip', corrupt(gzipSync(tar([HOME])), -6)],
    ['gzip with damaged bytes', 'application/gzip', corrupt(gzipSync(tarOf({ 'a.bin': noise })), 3_000)],
    ['zstd with damaged bytes', 'application/zstd', corrupt(zstdWithChecksum(tarOf({ 'a.bin': noise })), 3_000)],
    ['tar with the type of gzip', 'application/gzip', tar([HOME])],
    ['tar with the type of zstd', 'application/zstd', tar([HOME])],
    ['gzip in gzip', 'application/gzip', gzipSync(gzipSync(tar([HOME])))],
    ['zstd with a window of 128 MiB', 'application/zstd', zstdFrame(27, tar([HOME]))],
  ])('if it is %s', async (_, type, archive) => {
    await refuseArchive(server(), 'validation_failed', archive, { type });
  });
});

describe('security T41: a tar archive that exceeds the plan is refused with 413', () => {
  it.each<[string, string, () => Buffer, string]>([
    ['a file of zeros in gzip', 'gzip', () => gzipSync(tarOf({ 'a.bin': Buffer.alloc(2 * MiB + 1) })), 'maxFileSize'],
    [
      'a file of zeros in zstd',
      'zstd',
      () => zstdCompressSync(tarOf({ 'a.bin': Buffer.alloc(2 * MiB + 1) })),
      'maxFileSize',
    ],
    [
      'files of zeros in gzip that are too large together',
      'gzip',
      () =>
        gzipSync(tarOf(Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`${i}.bin`, Buffer.alloc(2 * MiB)])))),
      'maxTotalSize',
    ],
    [
      'junk that is too large together',
      'gzip',
      () =>
        gzipSync(tar(Array.from({ length: 13 }, (_, i) => ({ name: `${i}/.DS_Store`, body: Buffer.alloc(2 * MiB) })))),
      'body',
    ],
    ['zeros after the end', 'gzip', () => gzipSync(tar([HOME], Buffer.alloc(25 * MiB))), 'body'],
    ['a link of 1 GiB', 'gzip', () => gzipSync(tar([{ name: 'x', type: 'Z', body: Buffer.alloc(25 * MiB) }])), 'body'],
    ['10^6 empty files', 'gzip', () => gzippedMillion({ name: 'a' }), 'maxFilesCount'],
    ['10^6 folders', 'gzip', () => gzippedMillion({ name: 'a/', type: '5' }), 'maxFilesCount'],
    ['10^6 links', 'gzip', () => gzippedMillion({ name: 'a', type: '2' }), 'maxFilesCount'],
  ])('%s', { timeout: 60_000 }, async (_, coding, archive, limit) => {
    const { key } = await server().account();
    const { details } = await refuseArchive(server(), 'payload_too_large', archive(), {
      key,
      type: `application/${coding}`,
    });
    expect(details).toMatchObject({ limit });
  });
});

describe('api §11: an archive of the programs that people use', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-tar-'));
    mkdirSync(join(folder, 'dist', 'docs'), { recursive: true });
    writeFileSync(join(folder, 'dist', 'index.html'), 'home');
    writeFileSync(join(folder, 'dist', 'docs', `${'x'.repeat(150)}é.html`), 'long');
    symlinkSync('index.html', join(folder, 'dist', 'link.html'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['-C dist -c .', 'application/x-tar'],
    ['-c dist', 'application/x-tar'],
    ['--format=pax -C dist -c .', 'application/x-tar'],
    ['--format=ustar --exclude=docs -C dist -c .', 'application/x-tar'],
    ['-C dist -cz .', 'application/gzip'],
    ['--zstd -C dist -c .', 'application/zstd'],
  ])('tar %s', async (args, type) => {
    const archive = execFileSync('tar', args.split(' '), { cwd: folder });
    const { deployment, warnings } = await publishArchive(server(), archive, { type });
    expect((await server().visit(deployment)).text).toBe('home');
    expect(warnings).toEqual([{ file: expect.stringMatching(/link\.html$/), message: expect.any(String) }]);
  });
});

function zstdWithChecksum(bytes: Buffer): Buffer {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

/** Returns a zstd frame of one block that is not compressed. Source: RFC 8878 §3.1. */
function zstdFrame(windowLog: number, bytes: Buffer): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3, 0, 0, 0]);
  head.writeUIntLE((bytes.length << 3) | 1, 6, 3);
  return Buffer.concat([head, bytes]);
}

function corrupt(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at < 0 ? copy.length + at : at]! ^= 0xff;
  return copy;
}

/** Returns a tar archive that repeats one entry 10^6 times, in 100 members of gzip. */
function gzippedMillion(entry: TarEntry): Buffer {
  const member = gzipSync(Buffer.concat(Array<Buffer>(10_000).fill(tarEntry(entry))));
  return Buffer.concat([...Array<Buffer>(100).fill(member), gzipSync(TAR_END)]);
}
