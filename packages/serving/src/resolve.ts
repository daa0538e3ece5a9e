import { answerByRule } from './answer-by-rule.ts';
import { answerByFallback, notFound } from './fallback.ts';
import type { Intent, RequestContext } from './intent.ts';
import { isOffLimits, locate, type Located } from './pages.ts';
import { formatRequestPath, type RequestPath } from './request-path.ts';

/** The parts of a request that decide the response. */
export interface VisitRequest {
  method: string;
  path: RequestPath;
  /** The query as sent, including `?`; empty if there is none. */
  query: string;
  /** The `Accept` header as sent. */
  accept: string | undefined;
}

/**
 * Decides how to respond to a request.
 *
 * Never reveals a withheld file. A canonical redirect stays on the same host and reaches a 200 in one hop. A path that is not
 * clean is never served in place; if the clean path redirects, the response is that redirect.
 *
 * Source: serving S1 (steps 6 to 12), S8, S9, S12, S42.
 */
export function resolve(
  { method, path: requested, query, accept }: VisitRequest,
  site: RequestContext['site'],
): Intent {
  if (method === 'OPTIONS') return { kind: 'options' };
  if (method !== 'GET' && method !== 'HEAD') return { kind: 'method-not-allowed' };

  const { path } = requested;
  const context: RequestContext = { site, query, accept, variesByAccept: false };
  if (!requested.servable || isOffLimits(path)) return notFound(path, context);

  const intent = decide(path, context);
  return !requested.clean && intent.kind === 'file' && intent.status === 200 ? canonical(path, context) : intent;
}

function decide(path: string, context: RequestContext): Intent {
  const { rules } = context.site;
  return (
    answerByRule(rules.forced, path, context) ??
    answerByFile(path, context) ??
    answerByRule(rules.whenMissing, path, context) ??
    answerByFallback(path, context) ??
    notFound(path, context)
  );
}

function answerByFile(path: string, context: RequestContext): Intent | null {
  const located = locate(path, context.site);
  if (!located) return null;
  if (located.address !== path && isServedAtAddress(located, context)) return canonical(located.address, context);
  return {
    kind: 'file',
    status: 200,
    path: located.path,
    file: located.file,
    variesByAccept: context.variesByAccept,
  };
}

/** Whether a request for the canonical address of a file, with all rules applied, returns this file. Source: serving S17, S18. */
function isServedAtAddress({ path, address }: Located, context: RequestContext): boolean {
  if (isOffLimits(address)) return false;
  const ruled = answerByRule(context.site.rules.forced, address, context);
  if (ruled) return ruled.kind === 'file' && ruled.status === 200 && ruled.path === path;
  return locate(address, context.site)?.path === path;
}

function canonical(path: string, { query, variesByAccept }: RequestContext): Intent {
  return { kind: 'canonical', location: formatRequestPath(path) + query, variesByAccept };
}
