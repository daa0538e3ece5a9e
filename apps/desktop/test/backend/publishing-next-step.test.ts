import { ClientError, WATCH_RULE } from '@berth/client';
import type { Domain } from '@berth/contract';
import { expect, test } from 'vitest';
import { nextStepAfter } from '../../src/main/publishing/next-step.ts';
import { DEPLOYMENT, DOMAIN, ENTRY } from './samples.ts';

const deployment = DEPLOYMENT;
type Outcome = Parameters<typeof nextStepAfter>[1];
const EMPTY_OUTCOME: Outcome = { deployment: null, domain: null, failure: null };
const nextStepOf = (outcome: Partial<Outcome>, failures = 0) =>
  nextStepAfter(ENTRY, { ...EMPTY_OUTCOME, ...outcome }, failures, WATCH_RULE, 7);
const failedOutcome = (kind: ClientError['kind'], retryAfterSeconds?: number) => ({
  failure: new ClientError(kind, 'It did not work', { retryAfterSeconds }),
});

test('a published site has the link of its domain once the domain is served, otherwise the link of the deployment', () => {
  const linkOf = (domain: Domain | null) => {
    const nextStep = nextStepOf({ deployment, domain });
    return nextStep.is === 'published' ? [nextStep.published.url, nextStep.published.domain] : null;
  };
  expect(linkOf(null)).toEqual([deployment.url, null]);
  expect(linkOf(DOMAIN)).toEqual(['https://www.example.com', 'www.example.com']);
  expect(linkOf({ ...DOMAIN, status: 'pending' })).toEqual([deployment.url, 'www.example.com']);
});

test('a cancelled publish job counts as published if it is live, otherwise as cancelled', () => {
  expect(nextStepOf({ deployment, ...failedOutcome('aborted') })).toMatchObject({ is: 'published' });
  expect(nextStepOf(failedOutcome('aborted'))).toEqual({ is: 'ended', state: { is: 'cancelled' } });
});

test('while the server is down or busy, retries wait with backoff and at least for Retry-After (desktop §8.25)', () => {
  const pauses = [0, 1, 2, 8, 9, 50].map((failures) => nextStepOf(failedOutcome('network'), failures));
  expect(pauses.map((step) => step.is === 'paused' && step.pauseMs)).toEqual([
    1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ]);
  expect(nextStepOf(failedOutcome('unavailable', 60))).toMatchObject({ is: 'paused', pauseMs: 60_000 });
  expect(nextStepOf(failedOutcome('unavailable', 3_600))).toMatchObject({
    is: 'ended',
    state: { is: 'failed', problem: { next: 'Try again in 1 h.' } },
  });
});

test.each(['signed-out', 'refused', 'folder', 'server'] as const)(
  'a publish job fails immediately after an error of the kind %s',
  (kind) => {
    const problem = { kind, message: 'It did not work.' };
    expect(nextStepOf(failedOutcome(kind))).toMatchObject({ is: 'ended', state: { is: 'failed', at: 7, problem } });
  },
);

test('the message of a failure contains the link of the deployment if the deployment is live', () => {
  expect(nextStepOf({ deployment, ...failedOutcome('refused') })).toMatchObject({
    state: { problem: { message: `It did not work. The site is live at ${deployment.url}` } },
  });
});

test('an attempt without an error and without a deployment fails', () => {
  expect(nextStepOf({})).toMatchObject({ is: 'ended', state: { is: 'failed', problem: { kind: 'server' } } });
});
