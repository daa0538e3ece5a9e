import { describe, expect, it } from 'vitest';
import { CASES } from './decide-cases.ts';
import { simulate } from './fake-world.ts';
import { NUDGE_CASES, RETURN_CASES } from './nudge-cases.ts';

describe('a watch', () => {
  it.each([...CASES, ...NUDGE_CASES, ...RETURN_CASES])(
    '$title',
    ({ world, untilMs = 10_000, fromMs = 0, did, withScans }) => {
      const log = simulate(world, untilMs).filter((entry) => entry.at >= fromMs && (withScans || entry.did !== 'scan'));
      expect(log.map((entry) => `${entry.at} ${entry.did}`)).toEqual(did);
    },
  );
});
