import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTeller } from '../../src/main/publishing/teller.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('soon notifies at most 10 times a second and includes the last change; atOnce notifies immediately', () => {
  const tell = vi.fn<() => void>();
  const teller = createTeller(tell, 100);
  for (let ms = 0; ms < 999; ms += 1) {
    teller.soon();
    vi.advanceTimersByTime(1);
  }
  expect(tell).toHaveBeenCalledTimes(10);
  teller.soon();
  teller.atOnce();
  expect(tell).toHaveBeenCalledTimes(11);
  vi.advanceTimersByTime(1_000);
  expect(tell).toHaveBeenCalledTimes(11);
  teller.soon();
  teller.close();
  vi.advanceTimersByTime(1_000);
  teller.atOnce();
  expect(tell).toHaveBeenCalledTimes(11);
});
