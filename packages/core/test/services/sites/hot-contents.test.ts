import { hash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredBytes } from '@berth/serving';
import { createHotContents, type HotContents } from '../../../src/services/sites/hot-contents.ts';
import type { PackStore, ContentLocation } from '../../../src/storage/packs.ts';

const texts = ['first', 'second', 'third', 'fourth'];
let reads: number;
let hot: HotContents;

const contentOf = (text: string): StoredBytes => ({
  sha256: hash('sha256', text),
  pack: text,
  offset: 0,
  length: text.length,
});

/** Packs that contain one text each, by name. */
const packs = {
  read: async ({ pack }: ContentLocation) => {
    reads += 1;
    return Buffer.from(pack === 'damaged' ? 'dAmaged' : pack);
  },
} as Pick<PackStore, 'read'> as PackStore;

beforeEach(() => {
  reads = 0;
  hot = createHotContents(packs, { maxBytes: 1_600 });
});

describe('small contents', () => {
  it('are cached from the second read on', async () => {
    const content = contentOf('first');
    expect(String(await hot.read(content))).toBe('first');
    expect(hot.peek(content)).toBeUndefined();
    await hot.read(content);
    expect(String(hot.peek(content))).toBe('first');
    await hot.read(content);
    expect(reads).toBe(2);
  });

  it('never exceed their memory; the least recently used are evicted first', async () => {
    for (const text of texts) for (let n = 0; n < 2; n += 1) await hot.read(contentOf(text));
    expect(texts.filter((text) => hot.peek(contentOf(text)))).toEqual(['second', 'third', 'fourth']);
  });

  it('with bytes that do not match their hash are an error, and never cached (T36)', async () => {
    const damaged = contentOf('damaged');
    for (let n = 0; n < 3; n += 1) await expect(hot.read(damaged)).rejects.toMatchObject({ code: 'EBADMSG' });
    expect(hot.peek(damaged)).toBeUndefined();
  });
});
