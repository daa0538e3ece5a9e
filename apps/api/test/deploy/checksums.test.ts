import { hash } from 'node:crypto';
import { expectRefusal } from '@berth/testing/expectations';
import { field, file, multipart, type Part, post } from '@berth/testing/multipart';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer({ clean: true });

const ONE = hash('md5', 'one');
const TWO = hash('md5', 'two');
const FILES = [file('one.txt', 'one'), file('two.txt', 'two')];
const list = (value: unknown) => field('checksums', JSON.stringify(value));
const deploy = (...parts: Part[]) => post(server(), multipart(parts));

describe('T7: the list of checksums is mandatory and exact', () => {
  const faults: [string, Part[]][] = [
    ['no list', FILES],
    ['text that is not JSON', [...FILES, field('checksums', `${ONE},${TWO}`)]],
    ['JSON with a comma too many', [...FILES, field('checksums', `["${ONE}","${TWO}",]`)]],
    ['an object by path', [...FILES, list({ 'one.txt': ONE, 'two.txt': TWO })]],
    ['__proto__', [...FILES, field('checksums', `{"__proto__":["${ONE}","${TWO}"]}`)]],
    ['a list of lists', [...FILES, list([[ONE], [TWO]])]],
    ['a list with a null', [...FILES, list([ONE, null])]],
    ['33 digits', [...FILES, list([ONE, `${TWO}0`])]],
    ['a space in a checksum', [...FILES, list([ONE, ` ${TWO}`])]],
    ['a line end in a checksum', [...FILES, list([ONE, `${TWO}\n`])]],
    ['SHA-256', [...FILES, list([hash('sha256', 'one'), hash('sha256', 'two')])]],
    ['no files', [list([])]],
    ['a list for no file', [list([ONE])]],
  ];
  it.each(faults)('%s', async (_, parts) => {
    const { details } = await expectRefusal(server(), 'validation_failed', () => deploy(...parts));
    expect(details).toEqual({
      issues: [{ path: expect.stringMatching(/^checksums|^files\[\]$/), message: expect.stringMatching(/./) }],
    });
  });

  it.each<[string, Part, string]>([
    ['the first one wrong', list([hash('md5', 'three'), TWO]), 'one.txt'],
    ['all wrong', list([hash('md5', 'three'), hash('md5', 'three')]), 'one.txt'],
  ])('%s: names the first path that differs', async (_, checksums, named) => {
    const { message, details } = await expectRefusal(server(), 'validation_failed', () => deploy(...FILES, checksums));
    expect(details).toEqual({ file: named });
    expect(message).toContain(named);
  });

  it('includes files that were dropped as junk', async () => {
    const junk = file('.DS_Store', 'junk');
    await expectRefusal(server(), 'validation_failed', () => deploy(junk, ...FILES, list([ONE, TWO])));
    expect((await deploy(junk, ...FILES, list([hash('md5', 'junk'), ONE, TWO]))).status).toBe(201);
  });

  it('detects any changed bit, in files around the sizes of batches and blocks', async () => {
    const sizes = [0, 1, 55, 56, 63, 64, 65, 65_535, 65_536, 65_537, 1_048_575, 1_048_576, 1_048_577, 2_500_000];
    const files = sizes.map((size) => Buffer.alloc(size, `${size}:`));
    const parts = files.map((bytes, i) => file(`${i}.bin`, bytes));
    const sums = files.map((bytes) => hash('md5', bytes));
    const answer = await deploy(...parts, list(sums));
    expect([answer.status, answer.text]).toEqual([
      201,
      expect.stringContaining(`"size":${sizes.reduce((a, b) => a + b)},`),
    ]);
    for (const [i, bytes] of files.entries())
      expect(
        (await server().visit(answer.json<{ deployment: string }>().deployment, `/${i}.bin`)).bytes.equals(bytes),
      ).toBe(true);

    for (const i of [6, 9, 12, 13]) {
      const flipped = parts.with(i, file(`${i}.bin`, Buffer.from(files[i]!.with(files[i]!.length >> 1, 0))));
      const { details } = await expectRefusal(server(), 'validation_failed', () => deploy(...flipped, list(sums)));
      expect(details).toEqual({ file: `${i}.bin` });
    }
  });
});

describe('T7: the list may be sent', () => {
  it.each<[string, Part[]]>([
    ['before the files', [list([ONE, TWO]), ...FILES]],
    ['between them', [FILES[0]!, list([ONE, TWO]), FILES[1]!]],
    ['after them', [...FILES, list([ONE, TWO])]],
    ['in capitals', [...FILES, list([ONE.toUpperCase(), TWO.toUpperCase()])]],
    ['with white space', [...FILES, field('checksums', ` [\n "${ONE}" ,\t"${TWO}" ]\r\n`)]],
    [
      'in another charset that says so',
      [
        ...FILES,
        field(
          'checksums',
          Buffer.from(JSON.stringify([ONE, TWO]), 'utf16le'),
          'Content-Type: text/plain; charset=utf-16le',
        ),
      ],
    ],
  ])('%s', async (_, parts) => {
    const answer = await deploy(...parts);
    expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('"files":2,"size":6,')]);
  });
});
