import { describe, expect, it } from 'vitest';
import { pico } from './tables/pico.ts';
import type { Group } from './tables/suite.ts';
import { workersSdk } from './tables/workers-sdk.ts';
import { ask, siteOf, formatIntent } from './visits.ts';

const suites: [origin: string, groups: Group[]][] = [
  ['cloudflare/workers-sdk', workersSdk],
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
