import type { ServerResponse } from 'node:http';
import type { ReachedLimit } from '@berth/core';

/** The headers that tell a client what is left of a limit. Source: contract §7. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: ReachedLimit): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  };
}

/** Shows a limit on an answer, unless it shows one already of which a smaller share is left. */
export function showRateLimit(res: ServerResponse, state: ReachedLimit): void {
  const shown = Number(res.getHeader('RateLimit-Remaining') ?? 1) / Number(res.getHeader('RateLimit-Limit') ?? 1);
  if (state.remaining / state.limit > shown) return;
  for (const [name, value] of Object.entries(rateLimitHeaders(state))) res.setHeader(name, value);
}
