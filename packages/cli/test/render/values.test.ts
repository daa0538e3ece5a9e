import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bar } from '../../src/render/deploy-view.ts';
import { terminalOf } from '../../src/terminal.ts';
import { parseLimit, parseSite, parseTtl } from '../../src/values.ts';

describe('arguments', () => {
  it.each([
    ['1s', 1],
    ['90s', 90],
    ['30m', 1_800],
    ['30min', 1_800],
    ['12h', 43_200],
    ['3d', 259_200],
    ['2w', 1_209_600],
    ['365d', 31_536_000],
  ])('accept the duration %s as %d seconds', (text, seconds) => expect(parseTtl(text)).toBe(seconds));

  it.each(['', '3', '0s', '366d', '-1d', '1.5h', '3 d', '3y', '1e3s'])('refuse the duration "%s"', (text) => {
    expect(() => parseTtl(text)).toThrow('Write a number and a unit');
  });

  it('accept a positive integer or "all" as a limit', () => {
    expect([parseLimit('5'), parseLimit('all')]).toEqual([5, Infinity]);
    for (const text of ['0', '-1', '1.5', 'many', '']) expect(() => parseLimit(text)).toThrow('whole number');
  });

  it('accept an id, a name or an address as a site', () => {
    expect(parseSite('calm-otter-4k9x2qd')).toBe('calm-otter-4k9x2qd');
    expect(parseSite('http://calm-otter-4k9x2qd.localhost:4000/docs/')).toBe('calm-otter-4k9x2qd.localhost');
  });
});

describe('the progress bar', () => {
  it('fits into any width, and never shows more than the actual progress', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(1_000), fc.nat(1_000), fc.string(), (width, done, total, detail) => {
        const line = bar('Sending', { files: 1, bytes: done }, { files: 1, bytes: total }, detail, width);
        expect(line.length).toBeLessThan(Math.max(width, 1));
        const shown = Number(/(\d+) %/.exec(line)?.[1] ?? 0);
        expect(shown).toBeLessThanOrEqual(total === 0 ? 100 : Math.min((100 * done) / total, 100));
      }),
    );
  });
});

describe('the terminal', () => {
  const HOSTILE = 'a\u001b[2J\u009b\r\nb\u202e\u2028\u200f';

  function terminal(isTTY: boolean) {
    const printedText = { out: '', err: '' };
    const screen = (name: 'out' | 'err') => ({ isTTY, write: (text: unknown) => (printedText[name] += String(text)) });
    const streams = { stdin: Readable.from([]), stdout: screen('out'), stderr: screen('err') };
    return { printed: printedText, ...terminalOf(streams, {}) };
  }

  it('shows a status line below the output, and removes the status line completely', () => {
    const { printed, status, err } = terminal(true);
    status('50 %');
    err(['one', 'two']);
    status('60 %');
    status('60 %');
    status('');
    status('');
    const clearLine = '\r\u001b[2K';
    expect(printed.err).toBe(`50 %${clearLine}one\ntwo\n50 %${clearLine}60 %${clearLine}`);
  });

  it('shows no status line without a live screen', () => {
    const { printed, status, err } = terminal(false);
    status('50 %');
    err(['one']);
    status('');
    expect(printed.err).toBe('one\n');
  });

  it('escapes control characters in lines, coloured parts and the status line', () => {
    const { printed, out, err, status } = terminal(true);
    out([HOSTILE]);
    err([['plain ', { colour: 'red', text: HOSTILE }]]);
    status(HOSTILE);
    const escapedText = 'a\\u001b[2J\\u009b\\u000d\\u000ab\\u202e\\u2028\\u200f';
    expect(printed).toEqual({
      out: `${escapedText}\n`,
      err: `plain \u001b[31m${escapedText}\u001b[39m\n${escapedText}`,
    });
  });

  it('prints JSON without changing its meaning', () => {
    const { printed, out } = terminal(false);
    out([JSON.stringify({ [HOSTILE]: HOSTILE })]);
    expect(JSON.parse(printed.out)).toEqual({ [HOSTILE]: HOSTILE });
    expect(printed.out).not.toMatch(/[\p{Cc}\u2028\u202e](?!$)/u);
  });
});
