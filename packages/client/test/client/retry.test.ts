import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClientError, type ClientErrorKind } from '../../src/errors.ts';
import {
  backoffMs,
  isTemporary,
  type Retry,
  retry,
  createRetryCounter,
  retryPauseMs,
  type RetryPolicy,
  retryAfterMs,
} from '../../src/retry.ts';

const POLICY: RetryPolicy = { attempts: 5, firstMs: 100, longestMs: 1_000, withinMs: 10_000 };
const QUICK_POLICY: RetryPolicy = { attempts: 3, firstMs: 1, longestMs: 1, withinMs: 1e9 };
const unavailableError = new ClientError('unavailable', 'Later.', {});
const askingToWait = (retryAfterSeconds: number) => new ClientError('unavailable', 'Later.', { retryAfterSeconds });

describe('the pause between retries', () => {
  test('is random, up to a maximum that doubles with each failure until the longest pause', () => {
    const pausesAt = (random: number) =>
      [1, 2, 3, 4, 5].map((attempt) => retryPauseMs(attempt, 0, unavailableError, POLICY, () => random));
    expect(pausesAt(0)).toEqual([0, 0, 0, 0, 0]);
    expect(pausesAt(0.5)).toEqual([50, 100, 200, 400, 500]);
    expect(pausesAt(1)).toEqual([100, 200, 400, 800, 1_000]);
  });

  test('is at least the Retry-After of the server, and at most a second longer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 8 }), (attempt, seconds) => {
        const pause = retryPauseMs(attempt, 0, askingToWait(seconds), POLICY);
        return pause !== null && pause >= seconds * 1000 && pause <= seconds * 1000 + 1000;
      }),
    );
  });

  test('is at most a day and a second, even if the Retry-After of the server is longer', () => {
    const patient = { ...POLICY, withinMs: Infinity };
    for (const seconds of [86_401, 1e9, Number.MAX_VALUE])
      expect(retryPauseMs(1, 0, askingToWait(seconds), patient, () => 1)).toBe(86_400_000 + 100);
  });

  test('is null after too many failures, or if it would end too late', () => {
    expect(retryPauseMs(6, 0, unavailableError, POLICY)).toBeNull();
    expect(retryPauseMs(1, 9_950, unavailableError, POLICY, () => 1)).toBeNull();
    expect(retryPauseMs(1, 0, askingToWait(11), POLICY)).toBeNull();
  });
});

test('only temporary failures are retried', () => {
  const kinds: ClientErrorKind[] = ['network', 'unavailable', 'signed-out', 'refused', 'folder', 'server', 'aborted'];
  expect(kinds.filter((kind) => isTemporary(new ClientError(kind, 'x')))).toEqual(['network', 'unavailable']);
  expect(isTemporary(new Error('x'))).toBe(false);
});

describe('work that fails', () => {
  const { signal } = new AbortController();

  test('is retried until it succeeds, and each failure is reported', async () => {
    const reportedRetries: Retry[] = [];
    let failures = 2;
    const work = async () => {
      if (failures-- > 0) throw unavailableError;
      return 'done';
    };
    const retryCounter = createRetryCounter(QUICK_POLICY, signal, (event) => reportedRetries.push(event));
    expect(await retry(work, retryCounter)).toBe('done');
    expect(reportedRetries.map(({ attempt, reason }) => [attempt, reason])).toEqual([
      [1, 'Later.'],
      [2, 'Later.'],
    ]);
  });

  test('is not retried after the allowed number of attempts, and throws the failure itself', async () => {
    let attempts = 0;
    const work = async () => {
      attempts += 1;
      throw unavailableError;
    };
    const retryCounter = createRetryCounter(QUICK_POLICY, signal, () => {});
    await expect(retry(work, retryCounter)).rejects.toBe(unavailableError);
    expect(attempts).toBe(4);
  });

  test('gets the full number of attempts again after progress', async () => {
    const retries = createRetryCounter(QUICK_POLICY, signal, () => {});
    for (let i = 0; i < 3; i += 1) await retries.waitAfter(unavailableError);
    retries.reset();
    for (let i = 0; i < 3; i += 1) await retries.waitAfter(unavailableError);
    await expect(retries.waitAfter(unavailableError)).rejects.toBe(unavailableError);
  });

  test('is not retried if the server is unreachable at the first request of a deploy, but is retried after the first response', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const unreachableError = new ClientError('network', 'Unreachable.', {
      cause: new TypeError('fetch failed', { cause }),
    });
    const firstRequest = { isFirstRequest: true };
    await expect(
      createRetryCounter(QUICK_POLICY, signal, () => {}, firstRequest).waitAfter(unreachableError),
    ).rejects.toBe(unreachableError);
    const laterRequest = createRetryCounter(QUICK_POLICY, signal, () => {});
    await laterRequest.waitAfter(unreachableError);
    const answeredRequest = createRetryCounter(QUICK_POLICY, signal, () => {}, firstRequest);
    await answeredRequest.waitAfter(unavailableError);
    await answeredRequest.waitAfter(unreachableError);
  });

  test('stops during a pause if the caller aborts', async () => {
    const controller = new AbortController();
    const retries = createRetryCounter({ ...POLICY, withinMs: 1e9 }, controller.signal, () => controller.abort());
    await expect(retries.waitAfter(askingToWait(1_000))).rejects.toMatchObject({ name: 'AbortError' });
  });
});

test('backoffMs doubles the pause with each failure, up to the maximum', () => {
  expect([0, 1, 2, 3, 4].map((failures) => backoffMs(failures, 100, 1_000))).toEqual([100, 200, 400, 800, 1_000]);
  expect(backoffMs(5_000, 100, 1_000)).toBe(1_000);
});

test('retryAfterMs returns the Retry-After of the server, at most a day, and 0 without a Retry-After', () => {
  const pauses = [null, 0, 7, 86_401, Number.MAX_VALUE].map((retryAfterSeconds) => retryAfterMs({ retryAfterSeconds }));
  expect(pauses).toEqual([0, 0, 7_000, 86_400_000, 86_400_000]);
});
