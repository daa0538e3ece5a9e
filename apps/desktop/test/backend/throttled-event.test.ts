import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ThrottledEvent } from '../../src/main/publishing/throttled-event.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('emitSoon emits at most 10 events a second and always one after the last change; emitNow emits immediately', () => {
  const emit = vi.fn<() => void>();
  const event = new ThrottledEvent(emit, 100);
  for (let ms = 0; ms < 999; ms += 1) {
    event.emitSoon();
    vi.advanceTimersByTime(1);
  }
  expect(emit).toHaveBeenCalledTimes(10);
  event.emitSoon();
  event.emitNow();
  expect(emit).toHaveBeenCalledTimes(11);
  vi.advanceTimersByTime(1_000);
  expect(emit).toHaveBeenCalledTimes(11);
  event.emitSoon();
  event.close();
  vi.advanceTimersByTime(1_000);
  event.emitNow();
  expect(emit).toHaveBeenCalledTimes(11);
});
