import { expect, it } from 'vitest';
import { NameSet } from '../../../src/services/domains/name-set.ts';

async function setOf(...pages: string[][]): Promise<NameSet> {
  return NameSet.from(
    (async function* () {
      yield* pages;
    })(),
  );
}

const names = Array.from({ length: 3_000 }, (_, i) => `www.customer-${i}.example`);

it('api §12: a set of names contains the names of all pages and no others', async () => {
  const set = await setOf(names.slice(0, 1_000), [], names.slice(1_000));
  expect(set.size).toBe(3_000);
  expect(names.every((name) => set.has(name))).toBe(true);
  expect(names.some((name) => set.has(`${name}.`) || set.has(name.slice(1)))).toBe(false);
});

it('api §12: a set of names follows every addition and removal, in any order', async () => {
  const set = await setOf();
  expect(set.has('a.example')).toBe(false);
  for (const name of names) expect([set.put(name, true), set.put(name, true)]).toEqual([true, false]);
  for (const [index, name] of names.entries()) if (index % 3 > 0) expect(set.put(name, false)).toBe(true);
  expect(set.put('absent.example', false)).toBe(false);
  expect(names.filter((name) => set.has(name))).toEqual(names.filter((_, index) => index % 3 === 0));
  for (const name of names) set.put(name, false);
  expect([set.size, names.some((name) => set.has(name))]).toEqual([0, false]);
});

it('api §12: a set of names survives as bytes, and damaged bytes are recognised', async () => {
  const set = await setOf(names);
  const bytes = set.toBytes();
  expect(bytes.length).toBe(8 + 16 + 8 * 3_000 + 32);
  const read = NameSet.parse(bytes)!;
  expect([read.size, names.every((name) => read.has(name)), read.has('a.example')]).toEqual([3_000, true, false]);
  expect(read.put('a.example', true) && read.has('a.example')).toBe(true);
  expect(NameSet.parse((await setOf()).toBytes())?.size).toBe(0);

  for (const at of [0, 8, 24, 12_000, bytes.length - 1]) {
    const damaged = Buffer.from(bytes);
    damaged[at]! ^= 1;
    expect(NameSet.parse(damaged), `byte ${at}`).toBe(null);
  }
  for (const cut of [bytes.subarray(0, -8), bytes.subarray(0, 20), Buffer.alloc(0), Buffer.concat([bytes, bytes])])
    expect(NameSet.parse(cut)).toBe(null);
});
