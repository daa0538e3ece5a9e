import type { ServerResponse } from 'node:http';
import type { ReachedLimit } from '@berth/core';

/** Returns the headers that say how much of a limit remains. Source: api §7. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: ReachedLimit): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  };
}

/** Sets the headers of a limit, unless the response already has those of a limit with a smaller remaining share. */
export function showRateLimit(res: ServerResponse, state: ReachedLimit): void {
  const shownShare = Number(res.getHeader('RateLimit-Remaining') ?? 1) / Number(res.getHeader('RateLimit-Limit') ?? 1);
  if (state.remaining / state.limit > shownShare) return;
  for (const [name, value] of Object.entries(rateLimitHeaders(state))) res.setHeader(name, value);
}
