import { prepareHeaderRules } from './header-rules.ts';
import { preparePathRules } from './path-rules.ts';
import type { RuleData, SiteRules } from './rules.ts';

/** The rules of a site without rule files. */
export const NO_RULES: SiteRules = {
  cleanUrls: false,
  trailingSlash: null,
  forced: preparePathRules([]),
  whenMissing: preparePathRules([]),
  headers: prepareHeaderRules([]),
};

/**
 * Prepares the rules of a deployment for matching: literal ones are found in a hash map, the others are tried in order.
 *
 * @param data The stored rules; `null` gives {@link NO_RULES}. Source: serving S22, S26, S66.
 */
export function prepareRules(data: RuleData | null): SiteRules {
  if (data === null) return NO_RULES;
  return {
    cleanUrls: data.cleanUrls,
    trailingSlash: data.trailingSlash,
    forced: preparePathRules(data.forced),
    whenMissing: preparePathRules(data.whenMissing),
    headers: prepareHeaderRules(data.headers),
  };
}
