import { answerByRule } from './answer-by-rule.ts';
import { answerByFallback } from './fallback.ts';
import type { Intent } from './intent.ts';
import { notFound } from './not-found.ts';
import { isOffLimits, locate, type Located } from './pages.ts';
import type { Question } from './question.ts';
import { formatRequestPath, type RequestPath } from './request-path.ts';

/** A request to a site, as far as it decides what is answered. */
export interface VisitRequest {
  method: string;
  path: RequestPath;
  /** The query as sent, from `?` on; empty when there is none. */
  query: string;
  /** The `Accept` header as sent. */
  accept: string | undefined;
}

/**
 * Decides what a request is answered with.
 *
 * Never names a withheld file. A canonical redirect stays on the host and reaches a 200 in one hop. A path that is not
 * clean is never served in place; where the clean one redirects, that redirect is the answer.
 *
 * Source: serving S1 (steps 6 to 12), S8, S9, S12, S42.
 */
export function resolve({ method, path: asked, query, accept }: VisitRequest, site: Question['site']): Intent {
  if (method === 'OPTIONS') return { kind: 'options' };
  if (method !== 'GET' && method !== 'HEAD') return { kind: 'method-not-allowed' };

  const { path } = asked;
  const question: Question = { site, query, accept, variesByAccept: false };
  if (!asked.servable || isOffLimits(path)) return notFound(path, question);

  const intent = decide(path, question);
  return !asked.clean && intent.kind === 'file' && intent.status === 200 ? canonical(path, question) : intent;
}

function decide(path: string, question: Question): Intent {
  const { rules } = question.site;
  return (
    answerByRule(rules.forced, path, question) ??
    answerByFile(path, question) ??
    answerByRule(rules.whenMissing, path, question) ??
    answerByFallback(path, question) ??
    notFound(path, question)
  );
}

/** The file a path names, or a redirect to where it belongs. */
function answerByFile(path: string, question: Question): Intent | null {
  const located = locate(path, question.site);
  if (!located) return null;
  if (located.address !== path && isServedAtAddress(located, question)) return canonical(located.address, question);
  return {
    kind: 'file',
    status: 200,
    path: located.path,
    file: located.file,
    variesByAccept: question.variesByAccept,
  };
}

/** Whether the address of a file is answered with this very file, rules included. Source: serving S17, S18. */
function isServedAtAddress({ path, address }: Located, question: Question): boolean {
  if (isOffLimits(address)) return false;
  const ruled = answerByRule(question.site.rules.forced, address, question);
  if (ruled) return ruled.kind === 'file' && ruled.status === 200 && ruled.path === path;
  return locate(address, question.site)?.path === path;
}

function canonical(path: string, { query, variesByAccept }: Question): Intent {
  return { kind: 'canonical', location: formatRequestPath(path) + query, variesByAccept };
}
