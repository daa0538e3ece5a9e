import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { BlobWriter, TextReader, ZipWriter, type ZipWriterAddDataOptions } from '@zip.js/zip.js';
import { describe, expect, it } from 'vitest';
import { makeHome } from '../harness/app/folders.ts';
import { openProxied } from './desktop.ts';

const server = useServer();

type Files = Record<string, string | [text: string, options: ZipWriterAddDataOptions]>;

/** Creates a zip archive. */
async function makeArchive(files: Files): Promise<string> {
  const writer = new ZipWriter(new BlobWriter());
  for (const [name, file] of Object.entries(files)) {
    const [text, options] = typeof file === 'string' ? [file, {}] : file;
    await writer.add(name, new TextReader(text), options);
  }
  const path = join(makeHome(), 'site.zip');
  writeFileSync(path, new Uint8Array(await (await writer.close()).arrayBuffer()));
  return path;
}

describe('a zip archive that is dropped', () => {
  it('is published as the folder that it contains, without what macOS adds', async () => {
    const desktop = await openProxied(server());
    const archive = await makeArchive({
      'site/index.html': 'unpacked',
      'site/docs/a.txt': 'inner',
      '__MACOSX/site/._index.html': 'x',
    });
    const { url, files } = await desktop.publish(archive);
    expect(files).toBe(2);
    expect((await server().visit(url)).text).toBe('unpacked');
    expect((await server().visit(url, '/docs/a.txt')).text).toBe('inner');
    await expect.poll(() => desktop.staged()).toEqual([]);
  });

  it('without a front page is published only after a question', async () => {
    const desktop = await openProxied(server());
    const id = await desktop.dropSite(await makeArchive({ 'a/notes.txt': 'x', 'b/notes.txt': 'y' }));
    expect((await desktop.until(id, 'asking')).state.question.about).toBe('no-front-page');
    await desktop.ask('answerPublishing', { id, instead: null });
    const { url } = await desktop.published(id);
    expect((await server().visit(url, '/b/notes.txt')).text).toBe('y');
  });

  it.each([
    [
      'a path outside of it',
      { 'index.html': 'x', '../evil.txt': 'x' },
      'site.zip contains the invalid path ../evil.txt.',
    ],
    ['a password', { 'index.html': ['x', { password: 'secret' }] }, 'site.zip has a password.'],
  ] as const)('with %s is not published', async (_, files, message) => {
    const desktop = await openProxied(server());
    const id = await desktop.dropSite(await makeArchive(files as unknown as Files));
    expect((await desktop.until(id, 'failed')).state.problem.message).toContain(message);
    await expect.poll(() => desktop.staged()).toEqual([]);
  });

  it('that is damaged is not published', async () => {
    const desktop = await openProxied(server());
    const path = join(makeHome(), 'site.zip');
    writeFileSync(path, 'no archive');
    const id = await desktop.dropSite(path);
    expect((await desktop.until(id, 'failed')).state.problem.message).toBe(
      'site.zip is not a zip archive, or it is damaged.',
    );
  });
});
