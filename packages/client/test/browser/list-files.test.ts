import { hash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { hashFiles } from '../../src/browser/hash-files.ts';
import { type DirectoryHandle, type FileInput, listDirectory, listFiles } from '../../src/browser/list-files.ts';

const KEY = '-----BEGIN RSA PRIVATE KEY-----\nMII\n';
/** Larger than a file that is hashed as a whole. */
const LARGE = Buffer.alloc(5_000_000, 'large');
const signal = new AbortController().signal;

/** Creates a file as `<input webkitdirectory>` does. @param path The path, which begins with the name of the chosen folder. */
function fileInFolder(path: string, content = path): File {
  const file = new File([content], path.slice(path.lastIndexOf('/') + 1));
  return Object.assign(file, { webkitRelativePath: path });
}

interface Tree {
  [name: string]: Tree | string;
}

/** Creates a directory handle. Reading a subfolder named `unread` fails. */
function handleOf(tree: Tree, name = 'chosen'): DirectoryHandle {
  return {
    kind: 'directory',
    name,
    async *values() {
      if (name === 'unread') throw new Error('a skipped folder was read');
      for (const [entry, content] of Object.entries(tree))
        yield typeof content === 'string'
          ? { kind: 'file' as const, name: entry, getFile: async () => new File([content], entry) }
          : handleOf(content, entry);
    },
  };
}

describe('the files that a page publishes', () => {
  it('have paths below the chosen folder, and are those that the command line would publish', async () => {
    const { found, skipped } = await listFiles([
      fileInFolder('chosen/index.html'),
      fileInFolder('chosen/docs/a.txt'),
      fileInFolder('chosen/.berthignore', 'drafts/\n'),
      fileInFolder('chosen/drafts/b.txt'),
      fileInFolder('chosen/.env'),
      fileInFolder('chosen/.DS_Store'),
      fileInFolder('chosen/server.pem', KEY),
      fileInFolder('chosen/public.pem', '-----BEGIN PUBLIC KEY-----'),
      new File([''], 'single.txt'),
      { path: 'made/by/program.txt', content: 'text' },
    ]);
    expect(found.map(({ path }) => path)).toEqual([
      'index.html',
      'docs/a.txt',
      'public.pem',
      'single.txt',
      'made/by/program.txt',
    ]);
    expect(skipped).toEqual([
      { path: '.berthignore', reason: 'ignored' },
      { path: 'drafts/b.txt', reason: 'ignored' },
      { path: '.env', reason: 'private' },
      { path: '.DS_Store', reason: 'junk' },
      { path: 'server.pem', reason: 'private' },
    ]);
  });

  it('of a directory handle are found without reading skipped folders', async () => {
    const tree = {
      'index.html': 'home',
      docs: { 'a.txt': 'a', deep: { 'b.txt': 'b' } },
      '.git': { unread: {} },
      unread: { 'c.txt': 'c' },
      '.berthignore': 'unread/\n',
    };
    const { found, skipped } = await listDirectory(handleOf(tree), signal);
    expect(found.map(({ path }) => path).toSorted()).toEqual(['docs/a.txt', 'docs/deep/b.txt', 'index.html']);
    expect(skipped.map(({ path }) => path).toSorted()).toEqual(['.berthignore', '.git/', 'unread/']);
  });

  it.each<[string, FileInput[], string]>([
    [
      'two invalid names',
      [new File([''], 'a?'), new File([''], 'b?')],
      'a?: a path must not contain any of # ? % < > " (this one has ?) (and 1 more file).',
    ],
    ['a name with a control character', [{ path: 'a\nb', content: '' }], 'a\nb: '],
    [
      'a file that is also a folder',
      [
        { path: 'a', content: '' },
        { path: 'a/b', content: '' },
      ],
      'a/b: ',
    ],
    ['two files with one name', [new File([''], 'a'), new File([''], 'a')], 'a: '],
  ])('cannot include %s; the error names the file', async (_, files, message) => {
    await expect(listFiles(files)).rejects.toMatchObject({
      kind: 'folder',
      message: expect.stringContaining(message),
    });
  });
});

describe('hashing in a page', () => {
  const files = [
    { path: 'small', blob: new Blob(['small']) },
    { path: 'empty', blob: new Blob([]) },
    { path: 'large', blob: new Blob([LARGE]) },
  ];
  const EXPECTED = [
    { path: 'empty', size: 0, sha256: hash('sha256', '') },
    { path: 'large', size: LARGE.length, sha256: hash('sha256', LARGE) },
    { path: 'small', size: 5, sha256: hash('sha256', 'small') },
  ];

  it.each([
    ['with WebCrypto', () => {}],
    ['in a page without TLS, which has no WebCrypto', () => vi.stubGlobal('crypto', { ...crypto, subtle: undefined })],
  ])('gives the hashes of Node %s, and reports all bytes at the end', async (_, prepare) => {
    prepare();
    const events: unknown[] = [];
    const hashed = await hashFiles(files, (event) => events.push(event), signal).finally(() => vi.unstubAllGlobals());
    expect(hashed.map(({ path, size, sha256 }) => ({ path, size, sha256 }))).toEqual(EXPECTED);
    const total = { files: 3, bytes: LARGE.length + 5 };
    expect(events.at(-1)).toEqual({ type: 'hashed', done: total, total, cached: { files: 0, bytes: 0 } });
  });

  it('fails with the name of a file that can no longer be read', async () => {
    const blob = Object.assign(new Blob(['changed']), { arrayBuffer: () => Promise.reject(new Error('NotReadable')) });
    await expect(hashFiles([{ path: 'a.txt', blob }], () => {}, signal)).rejects.toMatchObject({
      kind: 'folder',
      file: 'a.txt',
    });
  });

  it('never reads a large file as a whole', async () => {
    const blob = new Blob([LARGE]);
    const read = vi.spyOn(blob, 'arrayBuffer');
    await hashFiles([{ path: 'large', blob }], () => {}, signal);
    expect(read).not.toHaveBeenCalled();
  });
});
