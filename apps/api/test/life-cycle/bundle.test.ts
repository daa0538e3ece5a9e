import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const DIST = join(import.meta.dirname, '../../dist');

describe('the bundled server', () => {
  it('has no character outside of Latin-1, for which V8 would keep a whole file with two bytes for each character', async () => {
    const names = (await readdir(DIST)).filter((name) => name.endsWith('.cjs'));
    expect(names).toContain('main.cjs');
    const texts = await Promise.all(names.map((name) => readFile(join(DIST, name), 'utf8')));
    // oxlint-disable-next-line no-control-regex -- Latin-1 starts with control characters.
    expect(names.filter((_, i) => /[^\x00-\xff]/.test(texts[i]!))).toEqual([]);
  });
});
