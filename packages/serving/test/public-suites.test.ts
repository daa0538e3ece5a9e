import { describe, expect, it } from 'vitest';
import { workersSdk } from './tables/workers-sdk.ts';
import { resolveTarget, formatIntent, siteOf } from './visits.ts';

describe.each(workersSdk)('in the suite of cloudflare/workers-sdk, $title,', ({ site, cases }) => {
  const rows = cases.map(([asked, theirs, ours = theirs]) => [asked, ours] as const);
  it.each(rows)('a request for %s results in %s', (asked, ours) => {
    expect(formatIntent(resolveTarget(asked, siteOf(site)))).toBe(ours);
  });
});

it('every row of the suite of cloudflare/workers-sdk with an expectation of Berth differs from the suite', () => {
  const differing = workersSdk.flatMap(({ cases }) => cases.filter(([, , ours]) => ours !== undefined));
  expect(differing.length).toBeGreaterThan(0);
  expect(differing.filter(([, theirs, ours]) => theirs === ours)).toEqual([]);
});
