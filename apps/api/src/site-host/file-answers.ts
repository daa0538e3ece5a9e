import { type FileIntent, type HeaderField, NO_RULES, type RuledAnswer, type Site } from '@berth/core';
import { createFileAnswer, type FileAnswer } from './file-answer.ts';
import type { Visit } from './visit.ts';

/** The answers of sites for their files, made when they are first asked for. */
export interface FileAnswers {
  /** What was asked of this very site by this path, and can be answered again the same way. */
  find(site: Site, visit: Visit): FileAnswer | undefined;
  /** @param requested The path, as `RequestPath` has it. */
  make(site: Site, intent: FileIntent, visit: Visit, requested: string): FileAnswer;
  /** The fields of an answer without a file, as the site's header rules want them. Source: serving S31, S32, S43. */
  applyRules(
    site: Site,
    kind: 'redirect' | 'options',
    fields: readonly HeaderField[],
    visit: Visit,
    requested: string,
  ): Record<string, string>;
}

/** How many paths of a site are remembered on one kind of host. Then it begins anew: spellings of a path are without end. */
const MOST_REMEMBERED = 256;

/**
 * Answers are remembered with the site they belong to, and forgotten with it: one that was loaded anew is another object. The
 * kinds of host, on which they differ, are kept apart. Not remembered is what depends on more than host and path.
 *
 * @param platformHost The host name below which deployments and platform domains are.
 */
export function createFileAnswers(platformHost: string): FileAnswers {
  const remembered = {
    deployment: new WeakMap<Site, Map<string, FileAnswer>>(),
    platform: new WeakMap<Site, Map<string, FileAnswer>>(),
    custom: new WeakMap<Site, Map<string, FileAnswer>>(),
  };

  const belowPlatform = `.${platformHost}`;

  /** @param visit One whose host names a site. */
  function kindOf({ address, host }: Visit): keyof typeof remembered {
    if (address !== null && 'deployment' in address) return 'deployment';
    return host.endsWith(belowPlatform) ? 'platform' : 'custom';
  }

  /** Whether an answer can depend on the query: a rule that leads back to the very address asked for does not count. */
  const dependsOnQuery = (site: Site, { query }: Visit) => query !== '' && site.rules !== NO_RULES;

  return {
    find(site, visit) {
      return dependsOnQuery(site, visit) ? undefined : remembered[kindOf(visit)].get(site)?.get(visit.path);
    },

    make(site, intent, visit, requested) {
      const kind = kindOf(visit);
      const asked = { path: requested, onDomain: kind !== 'deployment', onPlatformDomain: kind !== 'custom' };
      const answer = createFileAnswer(site, intent, asked);
      if (intent.status === 200 && !intent.variesByAccept && !dependsOnQuery(site, visit)) {
        const paths = remembered[kind].get(site) ?? new Map<string, FileAnswer>();
        if (paths.size >= MOST_REMEMBERED) paths.clear();
        remembered[kind].set(site, paths.set(visit.path, answer));
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
