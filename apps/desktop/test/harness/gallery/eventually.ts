import { expect } from 'vitest';

/** What is asked of a page until it holds: a busy machine takes its time. */
export function eventually<T>(look: () => Promise<T>, message?: string): ReturnType<typeof expect.poll<T>> {
  return expect.poll(look, { timeout: 15_000, message });
}
