import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '../faults/faults.ts';
import { selectKinds } from '../plan.ts';

const ROOT = join(import.meta.dirname, '../..');

it('the seeded faults have different names', () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
});

describe.each(FAULTS)('the seeded fault $name', ({ edits, only }) => {
  it.each(edits)('still fits $file', ({ file, find }) => {
    expect(readFileSync(join(ROOT, file), 'utf8').split(find)).toHaveLength(2);
  });

  it('is reached by kinds of disturbances that exist', () => {
    expect(selectKinds(only)).toHaveLength(only.length);
  });
});
