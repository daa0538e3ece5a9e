import { QueryClient } from '@tanstack/react-query';
import type { Answer, Problem } from '../backend.ts';

declare module '@tanstack/react-query' {
  interface Register {
    /** Requests fail with the problem that the window shows. */
    defaultError: Problem;
  }
}

/**
 * Creates the cache of what the window has read. Activities refresh it, so that nothing is read again because time has passed.
 * Requests are not retried, because the desktop app and the client retry what can be retried.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        refetchOnMount: 'always',
        retry: false,
        staleTime: Infinity,
      },
    },
  });
}

/** Returns the value of an answer. @throws Problem if the request failed. */
export async function valueOf<T>(answer: Promise<Answer<T>>): Promise<T> {
  const settled = await answer;
  if (settled.ok) return settled.value;
  throw settled.problem;
}
