import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ArchiveRequest, publishArchive, refuseArchive } from './publish-archive.ts';
import { descriptor, zip, type ZipEntry, zipOf } from '@berth/testing/zip-bytes';

const MiB = 1024 * 1024;
/** The plan of the archives that exceed one. Smaller limits than usual need smaller archives. */
const LIMITS = { maxFileSize: 2 * MiB, maxTotalSize: 10 * MiB };
const server = useServer({ clean: true, plans: { free: { limits: LIMITS } } });

const ZIP: ArchiveRequest = { type: 'application/zip' };
const HOME: ZipEntry = { name: 'index.html', body: 'home' };
/** A file and a sibling at the root, so that no folder is stripped. */
const withHome = (...entries: ZipEntry[]): Buffer => zip([HOME, ...entries]);
const noise = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7919 + ((i * i) >> 5)) & 0xff));

/** Returns the ZIP64 extra field with the sizes of a file. */
function zip64Sizes(size: number, compressedSize: number): Buffer {
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(0x0001, 0);
  extra.writeUInt16LE(16, 2);
  extra.writeBigUInt64LE(BigInt(size), 4);
  extra.writeBigUInt64LE(BigInt(compressedSize), 12);
  return extra;
}

/** Returns the Info-ZIP extra field with the UTF-8 form of a name. */
function unicodePath(rawName: string, name: string): Buffer {
  const bytes = Buffer.from(name);
  const extra = Buffer.alloc(9 + bytes.length);
  extra.writeUInt16LE(0x7075, 0);
  extra.writeUInt16LE(5 + bytes.length, 2);
  extra[4] = 1;
  extra.writeUInt32LE(crc32(rawName), 5);
  bytes.copy(extra, 9);
  return extra;
}

describe('api §11: a zip archive', () => {
  const streamed = { flags: 0x0808, local: { crc: 0, size: 0, compressedSize: 0 } };
  it.each<[string, Buffer, string, string]>([
    ['with a deflated file', withHome({ name: 'a', body: 'abc' }), '/a', 'abc'],
    ['with a stored file', withHome({ name: 'a', body: 'abc', method: 0 }), '/a', 'abc'],
    ['with an empty file', withHome({ name: 'a', method: 0 }), '/a', ''],
    ['with a deflated file of 1 MiB', withHome({ name: 'a', body: Buffer.alloc(MiB, 'a') }), '/a', 'a'.repeat(MiB)],
    [
      'with folders',
      zip([{ name: 'docs/', method: 0, mode: 0o40755 }, { name: 'docs/a', body: 'abc' }, HOME]),
      '/docs/a',
      'abc',
    ],
    [
      'with a data descriptor',
      withHome({ name: 'a', body: 'abc', ...streamed, descriptor: descriptor('abc', deflateRawSync('abc').length) }),
      '/a',
      'abc',
    ],
    [
      'with a data descriptor without a signature',
      withHome({
        name: 'a',
        body: 'abc',
        ...streamed,
        descriptor: descriptor('abc', deflateRawSync('abc').length, { signature: false }),
      }),
      '/a',
      'abc',
    ],
    ['with the end of ZIP64', zip([HOME], { zip64: true }), '/', 'home'],
    [
      'with the sizes of ZIP64',
      zip([
        { name: 'a', body: 'abc', method: 0, size: 0xffffffff, compressedSize: 0xffffffff, extra: zip64Sizes(3, 3) },
        HOME,
      ]),
      '/a',
      'abc',
    ],
    ['with a name in UTF-8', withHome({ name: 'é.txt', body: 'abc' }), '/%C3%A9.txt', 'abc'],
    ['with a name in UTF-8 of macOS', withHome({ name: 'é.txt', body: 'abc', flags: 0 }), '/%C3%A9.txt', 'abc'],
    [
      'with a name in an extra field',
      withHome({ name: 'e.txt', body: 'abc', flags: 0, extra: unicodePath('e.txt', 'é.txt') }),
      '/%C3%A9.txt',
      'abc',
    ],
    [
      'created on Windows',
      withHome({ name: 'a.txt', body: 'abc', flags: 0, versionMadeBy: 0, mode: 0 }),
      '/a.txt',
      'abc',
    ],
    ['with a comment', zip([HOME], { comment: 'A comment' }), '/', 'home'],
    ['with bytes after its end', Buffer.concat([zip([HOME]), Buffer.alloc(10_000)]), '/', 'home'],
    ['with one folder and junk', zipOf({ 'dist/index.html': 'home', '__MACOSX/dist/._index.html': 'x' }), '/', 'home'],
  ])('%s is published', async (_, archive, path, text) => {
    const { deployment } = await publishArchive(server(), archive, ZIP);
    const visited = await server().visit(deployment, path);
    expect([visited.status, visited.text === text]).toEqual([200, true]);
  });

  it('has the same outcome as a form with the same files, and the same Idempotency-Key replays it', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const files = { 'index.html': 'home', 'a.txt': 'a' };
    const { json } = await server().deploy(files, { headers });
    expect(await publishArchive(server(), zipOf(files), { ...ZIP, headers })).toEqual(json());
  });
});

describe('security T41: an entry of a zip archive that is not a file', () => {
  it.each([
    ['a symbolic link', 0o120777, 'A symbolic link is not published.'],
    ['a FIFO', 0o010644, 'A special file is not published.'],
    ['a device', 0o020644, 'A special file is not published.'],
    ['a socket', 0o140644, 'A special file is not published.'],
  ])('is left out and named in a warning: %s', async (_, mode, message) => {
    const { files, warnings } = await publishArchive(
      server(),
      withHome({ name: 'link', body: 'index.html', mode }),
      ZIP,
    );
    expect({ files, warnings }).toEqual({
      files: 1,
      warnings: [{ file: 'link', message: expect.stringContaining(message) }],
    });
  });
});

describe('security T41: a zip archive is refused with 400', () => {
  const abc = deflateRawSync('abc');
  it.each<[string, Buffer, string]>([
    ['an absolute name', withHome({ name: '/etc/passwd' }), 'relative'],
    ['a drive letter', withHome({ name: 'C:/a.txt' }), 'drive'],
    ['a .. segment', withHome({ name: 'a/../../b' }), '".."'],
    ['a .. segment with backslashes', withHome({ name: String.raw`..\b` }), '".."'],
    ['a backslash', withHome({ name: String.raw`docs\a.html` }), 'separated by "/"'],
    ['a .. segment in an extra field', withHome({ name: 'b', flags: 0, extra: unicodePath('b', '../b') }), '".."'],
    ['a folder with a .. segment', withHome({ name: '../', method: 0 }), '".."'],
    ['a NUL in a name', withHome({ name: 'a.html\0.exe' }), 'control'],
    ['a name that is not UTF-8', withHome({ name: 'a\ufffd' }), 'UTF-8'],
    ['an empty name', withHome({ name: '' }), 'empty'],
    ['the same name twice', withHome(HOME), 'name the same file'],
    ['a private key', withHome({ name: 'id_rsa', body: 'x' }), 'private keys'],
    ['no file', zip([]), 'at least one file'],
    ['no byte', Buffer.alloc(0), 'central directory'],
    ['text', Buffer.from('x'.repeat(100_000)), 'central directory'],
    ['an encrypted file', withHome({ name: 'a', body: 'abc', flags: 0x0801 }), 'encrypted'],
    ['a strongly encrypted file', withHome({ name: 'a', body: 'abc', flags: 0x0841 }), 'encryption'],
    ['a file of the method bzip2', withHome({ name: 'a', body: 'abc', method: 12 }), 'method 12'],
    ['a file of the method LZMA', withHome({ name: 'a', body: 'abc', method: 14 }), 'method 14'],
    ['a file of the method zstd', withHome({ name: 'a', body: 'abc', method: 93 }), 'method 93'],
    ['a file of the method AES', withHome({ name: 'a', body: 'abc', method: 99, flags: 0x0801 }), 'encrypted'],
    ['a file that is larger than its header says', withHome({ name: 'a', body: 'abc', size: 2 }), 'larger'],
    ['a file that is smaller than its header says', withHome({ name: 'a', body: 'abc', size: 4 }), 'smaller'],
    ['a large file that is larger than its header says', withHome({ name: 'a', body: noise, size: 150_000 }), 'larger'],
    [
      'a large file that is smaller than its header says',
      withHome({ name: 'a', body: noise, size: 250_000 }),
      'smaller',
    ],
    ['a stored file with two sizes', withHome({ name: 'a', body: 'abc', method: 0, size: 4 }), 'size mismatch'],
    ['a wrong CRC-32', withHome({ name: 'a', body: 'abc', crc: 1 }), 'CRC-32'],
    ['a wrong CRC-32 of a large file', withHome({ name: 'a', body: noise, crc: 1 }), 'CRC-32'],
    ['damaged deflate data', withHome({ name: 'a', body: 'abc', data: Buffer.from([7, 7, 7]) }), 'damaged'],
    [
      'truncated deflate data',
      withHome({ name: 'a', body: noise, data: deflateRawSync(noise).subarray(0, 5_000) }),
      'damaged',
    ],
    ['bytes after deflate data', withHome({ name: 'a', body: 'abc', data: Buffer.concat([abc, abc]) }), 'follow'],
    [
      'bytes after deflate data of a large file',
      withHome({ name: 'a', body: noise, data: Buffer.concat([deflateRawSync(noise), abc]) }),
      'follow',
    ],
    ['another name before the bytes', withHome({ name: 'a', body: 'abc', local: { name: 'b' } }), 'contradicts'],
    ['another method before the bytes', withHome({ name: 'a', body: 'abc', local: { method: 0 } }), 'contradicts'],
    ['another size before the bytes', withHome({ name: 'a', body: 'abc', local: { size: 4 } }), 'contradicts'],
    [
      'another compressed size before the bytes',
      withHome({ name: 'a', body: 'abc', local: { compressedSize: 1 } }),
      'contradicts',
    ],
    ['another CRC-32 before the bytes', withHome({ name: 'a', body: 'abc', local: { crc: 1 } }), 'contradicts'],
    [
      'a data descriptor with another CRC-32',
      withHome({
        name: 'a',
        body: 'abc',
        flags: 0x0808,
        local: { crc: 0, size: 0, compressedSize: 0 },
        descriptor: descriptor('abc', abc.length, { crc: 1 }),
      }),
      'data descriptor',
    ],
    [
      'no data descriptor where there must be one',
      withHome({ name: 'a', body: 'abc', flags: 0x0808, local: { crc: 0, size: 0, compressedSize: 0 } }),
      'data descriptor',
    ],
    ['two entries with the same bytes', withHome({ ...HOME, name: 'a', offset: 0 }), 'overlap'],
    [
      'entries inside an entry',
      zip([
        { name: 'a', body: zipOf({ b: 'abc' }), method: 0 },
        { name: 'b', body: 'abc', offset: 31 },
      ]),
      'overlap',
    ],
    ['an offset beyond its end', withHome({ name: 'a', body: 'abc', offset: 1_000_000 }), ''],
    ['a compressed size beyond its end', withHome({ name: 'a', body: 'abc', compressedSize: 1_000_000 }), ''],
    ['an extra field beyond its entry', withHome({ name: 'a', extra: Buffer.from([1, 0, 255, 255]) }), 'extra field'],
    ['a folder with bytes', withHome({ name: 'a/', body: 'abc', mode: 0o40755 }), 'size 0'],
    ['fewer entries than its directory', zip([HOME, { name: 'a' }], { count: 1 }), 'central directory'],
    ['more entries than its directory', zip([HOME], { count: 2 }), ''],
    ['a directory of another size', zip([HOME], { directorySize: 1 }), 'central directory'],
  ])('if it has %s', async (_, archive, text) => {
    const { message } = await refuseArchive(server(), 'validation_failed', archive, ZIP);
    expect(message).toContain(text);
  });

  const complete = zipOf({ 'index.html': noise.subarray(0, 9_000), 'docs/a.txt': noise, 'b.bin': 'b' });
  it.each(Array.from({ length: 34 }, (_, third) => 3 * third))(
    'if it ends after %i percent of its bytes',
    async (percent) => {
      await refuseArchive(server(), 'validation_failed', complete.subarray(0, (complete.length * percent) / 100), ZIP);
    },
  );
});

describe('security T41: a zip archive that exceeds the plan is refused with 413', () => {
  const zeros = Buffer.alloc(2 * MiB);
  const deflated = deflateRawSync(zeros);
  const file = (name: string): ZipEntry => ({ name, data: deflated, size: zeros.length, crc: crc32(zeros) });
  it.each<[string, () => Buffer, string]>([
    ['a file of zeros', () => zipOf({ 'a.bin': Buffer.alloc(2 * MiB + 1) }), 'maxFileSize'],
    [
      'a file of zeros with a small size',
      () => zip([{ ...file('a'), body: '', data: deflateRawSync(Buffer.alloc(2 * MiB + 1)), size: 2 ** 31 }]),
      'maxFileSize',
    ],
    [
      'files of zeros that are too large together',
      () => zip(Array.from({ length: 6 }, (_, i) => file(`${i}.bin`))),
      'maxTotalSize',
    ],
    [
      'junk that is too large together',
      () => zip(Array.from({ length: 13 }, (_, i) => file(`${i}/.DS_Store`))),
      'body',
    ],
    [
      '50,000 empty files',
      () => zip(Array.from({ length: 50_000 }, (_, i) => ({ name: `${i}`, method: 0 }))),
      'maxFilesCount',
    ],
    [
      '2,000 empty files',
      () => zip(Array.from({ length: 2_000 }, (_, i) => ({ name: `${i}`, method: 0 }))),
      'maxFilesCount',
    ],
    [
      '2,200 folders',
      () => zip(Array.from({ length: 2_200 }, (_, i) => ({ name: `${i}/`, method: 0 }))),
      'maxFilesCount',
    ],
    ['10^6 entries in the end record', () => zip([HOME], { count: 1_000_000, zip64: true }), 'maxFilesCount'],
  ])('%s', { timeout: 60_000 }, async (_, archive, limit) => {
    const { key } = await server().account();
    const { details } = await refuseArchive(server(), 'payload_too_large', archive(), { ...ZIP, key });
    expect(details).toMatchObject({ limit });
  });
});

describe('api §11: an archive of zip', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-zip-'));
    mkdirSync(join(folder, 'dist', 'docs'), { recursive: true });
    writeFileSync(join(folder, 'dist', 'index.html'), 'home');
    writeFileSync(join(folder, 'dist', 'docs', 'é.html'), noise);
    symlinkSync('index.html', join(folder, 'dist', 'link.html'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const hasZip = (() => {
    try {
      return execFileSync('zip', ['-v']).length > 0;
    } catch {
      return false;
    }
  })();

  it.skipIf(!hasZip).each(['-y', '-0', '-fz', '-UN=UTF8'])('zip -rq %s', async (option) => {
    const file = join(folder, `site${option}.zip`);
    execFileSync('zip', ['-rq', option, file, 'dist'], { cwd: folder });
    const { deployment } = await publishArchive(server(), readFileSync(file), ZIP);
    expect((await server().visit(deployment)).text).toBe('home');
    expect((await server().visit(deployment, '/docs/%C3%A9.html')).bytes.equals(noise)).toBe(true);
  });

  it.skipIf(!hasZip)('zip -rq to a pipe', async () => {
    const archive = execFileSync('zip', ['-rq', '-', 'dist'], { cwd: folder });
    expect(await publishArchive(server(), archive, ZIP)).toMatchObject({ files: 3 });
  });
});
