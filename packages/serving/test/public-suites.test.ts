import { describe, expect, it } from 'vitest';
import { pico } from './tables/pico.ts';
import { serveHandler } from './tables/serve-handler.ts';
import type { Group } from './tables/suite.ts';
import { superstatic } from './tables/superstatic.ts';
import { columns, hosts } from './tables/trailing-slash-guide.ts';
import { workersSdk } from './tables/workers-sdk.ts';
import { ask, siteOf, formatIntent } from './visits.ts';

const suites: [origin: string, groups: Group[]][] = [
  ['cloudflare/workers-sdk', workersSdk],
  ['firebase/superstatic', superstatic],
  ['vercel/serve-handler', serveHandler],
  ['picosh/pico', pico],
];

describe.each(suites)('the suite of %s', (_, groups) => {
  describe.each(groups)('$title', ({ site: sketch, cases }) => {
    const site = siteOf(sketch);
    it.each(cases.map(([asked, theirs, ours = theirs, why = '']) => [asked, ours, why]))(
      'a request for %s results in %s %s',
      (asked, expected) => {
        expect(formatIntent(ask(asked, site))).toBe(expected);
      },
    );
  });

  it('lists a different expectation only where it differs', () => {
    const differing = groups.flatMap(({ cases }) => cases.filter(([, , ours]) => ours !== undefined));
    expect(differing.length).toBeGreaterThan(0);
    expect(differing.filter(([, theirs, ours]) => theirs === ours)).toEqual([]);
  });
});

describe('the suite of slorber/trailing-slash-guide', () => {
  const files = ['file.html', 'folder/index.html', 'both.html', 'both/index.html'];
  describe.each(hosts)('$host', ({ settings, theirs, ours = {} }) => {
    const site = siteOf({ files, ...settings });
    const answers = theirs.split(' ');
    it.each(columns.map((asked, index) => [asked, ...(ours[asked] ?? [answers[index]!, ''])]))(
      'a request for %s results in %s %s',
      (asked, expected) => {
        const [status, location] = formatIntent(ask(asked!, site)).split(' ');
        expect(status === '->' ? `->${location}` : status).toBe(expected);
      },
    );
  });
});
