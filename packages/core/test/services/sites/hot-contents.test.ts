import { hash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredBytes } from '@berth/serving';
import { createHotContents, type HotContents } from '../../../src/services/sites/hot-contents.ts';
import type { PackStore, ContentLocation } from '../../../src/storage/packs.ts';

const texts = ['first', 'second', 'third', 'fourth'];
let readCount: number;
let hotContents: HotContents;

const contentOf = (text: string): StoredBytes => ({
  sha256: hash('sha256', text),
  pack: text,
  offset: 0,
  length: text.length,
});

/** A pack store in which each pack contains its own name. */
const packs = {
  read: async ({ pack }: ContentLocation) => {
    readCount += 1;
    return Buffer.from(pack === 'damaged' ? 'dAmaged' : pack);
  },
} as Pick<PackStore, 'read'> as PackStore;

beforeEach(() => {
  readCount = 0;
  hotContents = createHotContents(packs, { maxBytes: 1_600 });
});

describe('the cache of small contents', () => {
  it('keeps a content from its second read on', async () => {
    const content = contentOf('first');
    expect(String(await hotContents.read(content))).toBe('first');
    expect(hotContents.peek(content)).toBeUndefined();
    await hotContents.read(content);
    expect(String(hotContents.peek(content))).toBe('first');
    await hotContents.read(content);
    expect(readCount).toBe(2);
  });

  it('never exceeds its memory, and evicts the least recently used contents first', async () => {
    for (const text of texts) for (let n = 0; n < 2; n += 1) await hotContents.read(contentOf(text));
    expect(texts.filter((text) => hotContents.peek(contentOf(text)))).toEqual(['second', 'third', 'fourth']);
  });

  it('never keeps bytes that do not match their hash, and reports them as an error (T36)', async () => {
    const damagedContent = contentOf('damaged');
    for (let n = 0; n < 3; n += 1)
      await expect(hotContents.read(damagedContent)).rejects.toMatchObject({ code: 'EBADMSG' });
    expect(hotContents.peek(damagedContent)).toBeUndefined();
  });
});
