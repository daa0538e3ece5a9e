import { hash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredBytes } from '../../../src/serving/site.ts';
import { createHotContents, type HotContents } from '../../../src/services/sites/hot-contents.ts';
import type { PackStore, Place } from '../../../src/storage/packs.ts';

const texts = ['first', 'second', 'third', 'fourth'];
let reads: number;
let hot: HotContents;

const contentOf = (text: string): StoredBytes => ({
  sha256: hash('sha256', text),
  pack: text,
  offset: 0,
  length: text.length,
});

/** Packs that hold one text each, by their name. */
const packs = {
  read: async ({ pack }: Place) => {
    reads += 1;
    return Buffer.from(pack === 'damaged' ? 'dAmaged' : pack);
  },
} as Pick<PackStore, 'read'> as PackStore;

beforeEach(() => {
  reads = 0;
  hot = createHotContents(packs, { maxBytes: 1_600 });
});

describe('small contents', () => {
  it('are kept from the second time on that they are read', async () => {
    const content = contentOf('first');
    expect(String(await hot.read(content))).toBe('first');
    expect(hot.peek(content)).toBeUndefined();
    await hot.read(content);
    expect(String(hot.peek(content))).toBe('first');
    await hot.read(content);
    expect(reads).toBe(2);
  });

  it('are read once for all who ask at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => hot.read(contentOf('first'))));
    expect(new Set(answers).size).toBe(1);
    expect(reads).toBe(1);
  });

  it('take no more memory than they may, the least recently used going first', async () => {
    for (const text of texts) for (let n = 0; n < 2; n += 1) await hot.read(contentOf(text));
    expect(texts.filter((text) => hot.peek(contentOf(text)))).toEqual(['second', 'third', 'fourth']);
  });

  it('do not give way to those that are read once', async () => {
    for (let n = 0; n < 2; n += 1) await hot.read(contentOf('first'));
    for (let n = 0; n < 100; n += 1) await hot.read(contentOf(`once ${n}`));
    expect(String(hot.peek(contentOf('first')))).toBe('first');
  });

  it('that are not what they should be are an error, and never kept (T36)', async () => {
    const damaged = contentOf('damaged');
    for (let n = 0; n < 3; n += 1) await expect(hot.read(damaged)).rejects.toMatchObject({ code: 'EBADMSG' });
    expect(hot.peek(damaged)).toBeUndefined();
  });
});
