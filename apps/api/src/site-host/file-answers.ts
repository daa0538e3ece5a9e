import { type FileIntent, type HeaderField, NO_RULES, type RuledAnswer, type Site } from '@berth/serving';
import { createFileAnswer, type FileAnswer } from './file-answer.ts';
import type { Visit } from './visit.ts';

/** The answers of sites for their files, created on first use. */
export interface FileAnswers {
  /** The cached answer of exactly this site for this path, if it may be sent again. */
  find(site: Site, visit: Visit): FileAnswer | undefined;
  /** @param requested The path, as `RequestPath` has it. */
  make(site: Site, intent: FileIntent, visit: Visit, requested: string): FileAnswer;
  /**
   * The headers of an answer without a file, with the header rules of the site applied. Source: serving S31, S32, S43.
   */
  applyRules(
    site: Site,
    kind: 'redirect' | 'options',
    fields: readonly HeaderField[],
    visit: Visit,
    requested: string,
  ): Record<string, string>;
}

/**
 * How many paths of a site are cached for each kind of host. A full cache is emptied, because a path has any number of
 * spellings.
 */
const MAX_CACHED_PATHS = 256;

/**
 * Answers are cached with their site and dropped with it: a site that is loaded again is a new object. There is one
 * cache for each kind of host, because answers differ between them. Answers that depend on more than host and path are
 * not cached.
 *
 * @param platformHost The host name below which deployments and platform domains are.
 */
export function createFileAnswers(platformHost: string): FileAnswers {
  const cached = {
    deployment: new WeakMap<Site, Map<string, FileAnswer>>(),
    platform: new WeakMap<Site, Map<string, FileAnswer>>(),
    custom: new WeakMap<Site, Map<string, FileAnswer>>(),
  };

  const belowPlatform = `.${platformHost}`;

  /** @param visit A visit whose host names a site. */
  function kindOf({ address, host }: Visit): keyof typeof cached {
    if (address !== null && 'deployment' in address) return 'deployment';
    return host.endsWith(belowPlatform) ? 'platform' : 'custom';
  }

  /** Whether an answer can depend on the query. A rule that redirects to the same address does not count. */
  const dependsOnQuery = (site: Site, { query }: Visit) => query !== '' && site.rules !== NO_RULES;

  return {
    find(site, visit) {
      return dependsOnQuery(site, visit) ? undefined : cached[kindOf(visit)].get(site)?.get(visit.path);
    },

    make(site, intent, visit, requested) {
      const kind = kindOf(visit);
      const context = { path: requested, onDomain: kind !== 'deployment', onPlatformDomain: kind !== 'custom' };
      const answer = createFileAnswer(site, intent, context);
      if (intent.status === 200 && !intent.variesByAccept && !dependsOnQuery(site, visit)) {
        const paths = cached[kind].get(site) ?? new Map<string, FileAnswer>();
        if (paths.size >= MAX_CACHED_PATHS) paths.clear();
        cached[kind].set(site, paths.set(visit.path, answer));
      }
      return answer;
    },

    applyRules(site, kind, fields, visit, requested) {
      const answer: RuledAnswer = {
        kind,
        onPlatformDomain: kindOf(visit) !== 'custom',
        anonymous: site.anonymous,
        isProtected: site.passwordVersion !== null,
      };
      return Object.fromEntries(site.rules.headers.apply(requested, fields, answer));
    },
  };
}
