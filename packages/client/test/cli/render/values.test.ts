import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes, count, duration } from '../../../src/amounts.ts';
import { bar } from '../../../src/cli/render/bar.ts';
import { statusLine } from '../../../src/cli/render/status-line.ts';
import { columns } from '../../../src/cli/render/table.ts';
import { readLimit, readSite, readTtl } from '../../../src/cli/values.ts';

describe('amounts', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [9_949, '9.9 kB'],
    [9_960, '10 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [28_000_000, '28 MB'],
    [5_000_000_000_000_000, '5000 TB'],
  ])('%d bytes are %s', (number, text) => expect(bytes(number)).toBe(text));

  it.each([
    [0.42, '0.4 s'],
    [12, '12 s'],
    [90, '1.5 min'],
    [3_600, '1 h'],
    [259_200, '3 d'],
  ])('%d seconds are %s', (seconds, text) => expect(duration(seconds)).toBe(text));

  it('are counted with their noun', () => {
    expect([count(1, 'file'), count(0, 'file'), count(10_000, 'file')]).toEqual(['1 file', '0 files', '10,000 files']);
  });
});

describe('what is typed', () => {
  it.each([
    ['1s', 1],
    ['90s', 90],
    ['30m', 1_800],
    ['30min', 1_800],
    ['12h', 43_200],
    ['3d', 259_200],
    ['2w', 1_209_600],
    ['365d', 31_536_000],
  ])('the time %s is %d seconds', (text, seconds) => expect(readTtl(text)).toBe(seconds));

  it.each(['', '3', '0s', '366d', '-1d', '1.5h', '3 d', '3y', '1e3s'])('"%s" is no time', (text) => {
    expect(() => readTtl(text)).toThrow('Write a number and a unit');
  });

  it('a limit is a whole number, or all', () => {
    expect([readLimit('5'), readLimit('all')]).toEqual([5, Infinity]);
    for (const text of ['0', '-1', '1.5', 'many', '']) expect(() => readLimit(text)).toThrow('whole number');
  });

  it('a site is an id, a name, or a whole address', () => {
    expect(readSite('calm-otter-4k9x2qd')).toBe('calm-otter-4k9x2qd');
    expect(readSite('http://calm-otter-4k9x2qd.localhost:4000/docs/')).toBe('calm-otter-4k9x2qd.localhost');
  });
});

describe('the bar', () => {
  it('fits into every width, and never says more than is done', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(1_000), fc.nat(1_000), fc.string(), (width, done, total, detail) => {
        const line = bar({ label: 'Sending', done, total, detail }, width);
        expect(line.length).toBeLessThan(Math.max(width, 1));
        const shown = Number(/(\d+) %/.exec(line)?.[1] ?? 0);
        expect(shown).toBeLessThanOrEqual(total === 0 ? 100 : Math.min((100 * done) / total, 100));
      }),
    );
  });
});

describe('the line that changes', () => {
  it('is below the lines that stay, and leaves nothing behind', () => {
    let screen = '';
    const line = statusLine((text) => void (screen += text), true);
    line.show('50 %');
    line.print(['one', 'two']);
    line.show('60 %');
    line.show('60 %');
    line.clear();
    line.clear();
    const clear = '\r\u001b[2K';
    expect(screen).toBe(`50 %${clear}one\ntwo\n50 %${clear}60 %${clear}`);
  });

  it('is not shown where nobody looks on', () => {
    let log = '';
    const line = statusLine((text) => void (log += text), false);
    line.show('50 %');
    line.print(['one']);
    line.clear();
    expect(log).toBe('one\n');
  });
});

it('tables are aligned, and hold nothing that moves the cursor', () => {
  expect(
    columns([
      ['a', 'long\u001b[2J', ''],
      ['wider', 'b', 'c'],
    ]),
  ).toEqual(['a      long[2J', 'wider  b        c']);
});
