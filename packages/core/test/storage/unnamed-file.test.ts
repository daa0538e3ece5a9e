import { readdirSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openUnnamedFile } from '../../src/storage/unnamed-file.ts';

const FILES = 400;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-unnamed-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a temporary file without a name', () => {
  it('keeps its bytes, and leaves nothing in the folder', async () => {
    await using file = await openUnnamedFile(folder);
    await file.write('spooled', 0);
    expect(await readdir(folder)).toEqual([]);
    const { buffer } = await file.read(Buffer.alloc(7), 0, 7, 0);
    expect(buffer.toString()).toBe('spooled');
  });

  it('can be opened while another process that starts removes everything from the folder', async () => {
    let isOver = false;
    const clear = () => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
      if (!isOver) setImmediate(clear);
    };
    clear();
    const opened = await Promise.allSettled(
      Array.from({ length: FILES }, async () => {
        await using _ = await openUnnamedFile(folder);
      }),
    );
    isOver = true;
    expect(opened.filter(({ status }) => status === 'rejected')).toEqual([]);
  });
});
