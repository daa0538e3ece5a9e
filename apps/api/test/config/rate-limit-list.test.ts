import { DEFAULT_RATE_LIMITS } from '@berth/core';
import { describe, expect, it } from 'vitest';
import type { ConfigError } from '../../src/config/environment-reader.ts';
import { readConfig } from '../../src/config/config.ts';

const limitsOf = (text: string) => readConfig({ RATE_LIMITS: text }).rateLimits;

function faultsOf(text: string): string[] {
  try {
    readConfig({ RATE_LIMITS: text });
    return [];
  } catch (error) {
    return (error as ConfigError).message.split('\n');
  }
}

describe('api §10: RATE_LIMITS', () => {
  it('api §7: defaults to the documented limits', () => {
    expect(readConfig({}).rateLimits).toEqual(DEFAULT_RATE_LIMITS);
    expect(limitsOf('global=600/min,deploy=60/min,anonymous=10/h,unlock=10/10min,claim=30/h,signin=10/10min')).toEqual(
      DEFAULT_RATE_LIMITS,
    );
  });

  it.each(['off', 'OFF', ' off '])('can be turned off with %j', (text) => expect(limitsOf(text)).toBe(null));

  it('changes the named limits and keeps the others', () => {
    expect(limitsOf('deploy=5/s, unlock = 3/2h ,signin=100000/24h,')).toEqual({
      ...DEFAULT_RATE_LIMITS,
      deploy: { count: 5, perSeconds: 1 },
      unlock: { count: 3, perSeconds: 7200 },
      signin: { count: 100_000, perSeconds: 86_400 },
    });
  });

  it.each([
    ['global', /"global" is not a limit; use a name, a count and a time in s, min or h, such as "global=600\/min"/],
    ['global=600', /"global=600" is not a limit/],
    ['global=600/d', /is not a limit/],
    ['global=600/day', /is not a limit/],
    ['global=6e2/min', /is not a limit/],
    ['global=-1/min', /is not a limit/],
    ['global=1.5/min', /is not a limit/],
    ['global=10/10 min', /is not a limit/],
    ['off, global=5/s', /"off" is not a limit/],
    [
      'uploads=5/s',
      /"uploads" is not the name of a limit; use one of global, deploy, anonymous, unlock, claim, signin/,
    ],
    ['__proto__=5/s', /"__proto__" is not the name of a limit/],
    ['global=0/min', /allows 0; use a count from 1 to 100000, or "off" for no limits/],
    ['global=100001/s', /allows 100001/],
    ['global=5/0s', /has a time that is too short; use 1s to 24h/],
    ['global=5/25h', /has a time that is too long/],
    ['global=5/s, global=6/s', /"global" is named twice/],
  ])('T37: is rejected with the value %s', (text, message) => {
    expect(faultsOf(text)).toEqual([expect.stringMatching(message)]);
  });

  it('reports all faults of its value', () => {
    expect(faultsOf('global=x, deploy=1/s, claims=1/s, unlock=0/s').map((fault) => fault.split(' ', 2)[1])).toEqual([
      '"global=x"',
      '"claims"',
      '"unlock=0/s"',
    ]);
  });
});
