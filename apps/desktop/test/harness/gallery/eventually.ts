import { expect } from 'vitest';

/** Polls until the expectation is met, for at most 60 s, because machines may be busy. */
export function eventually<T>(read: () => Promise<T>, message?: string): ReturnType<typeof expect.poll<T>> {
  return expect.poll(read, { timeout: 60_000, message });
}
