import { type Placed, quote, type Warn } from './fault.ts';
import { withoutSlash } from './pattern.ts';
import type { PathRule } from './rules.ts';

interface LiteralRule {
  placedRule: Placed<PathRule>;
  order: number;
}

interface Redirect {
  from: string;
  to: string;
  rule: LiteralRule;
}

type RulesByPath = ReadonlyMap<string, readonly LiteralRule[]>;

const MAX_SHOWN_ADDRESSES = 4;

/**
 * Warns once about each cycle of literal redirects, at its last rule, in time linear in the number of rules. The same rules
 * match the addresses `/a` and `/a/`. The first rule that does not lead to the address itself applies. Source: serving S26, S28.
 */
export function warnOfCycles(rules: readonly Placed<PathRule>[], warn: Warn): void {
  for (const cycle of findCycles(rulesByPath(rules))) warnOfCycle(cycle, warn);
}

function rulesByPath(rules: readonly Placed<PathRule>[]): RulesByPath {
  const literal = rules
    .map((placedRule, order) => ({ placedRule, order }))
    .filter(({ placedRule }) => typeof placedRule.rule.from === 'string');
  return Map.groupBy(literal, ({ placedRule }) => placedRule.rule.from as string);
}

function* findCycles(byPath: RulesByPath): Generator<Redirect[]> {
  const visitedPaths = new Set<string>();
  for (const path of byPath.keys())
    for (const start of path === '' ? [path] : [path, `${path}/`]) {
      const redirectChain: Redirect[] = [];
      let address = start;
      while (!visitedPaths.has(address)) {
        const redirect = redirectAt(address, byPath);
        if (!redirect || !byPath.has(withoutSlash(redirect.to))) break;
        visitedPaths.add(address);
        redirectChain.push(redirect);
        address = redirect.to;
      }
      const loopStart = redirectChain.findIndex(({ from }) => from === address);
      if (loopStart >= 0) yield redirectChain.slice(loopStart);
    }
}

/** Returns the redirect at an address; `null` if the rules show a file, leave the site, or have no effect there. */
function redirectAt(from: string, byPath: RulesByPath): Redirect | null {
  let ownQuery: string | null = null;
  for (const rule of byPath.get(withoutSlash(from))!) {
    const { status, to } = rule.placedRule.rule;
    if (status === 200 || status === 404 || to.origin !== null || typeof to.path !== 'string') return null;
    if (to.path !== from) return { from, to: to.path, rule };
    // A redirect to its own address acts only if its query differs from the query of the request. Two such redirects form a cycle.
    if (typeof to.query !== 'string' || to.query === '') continue;
    if (ownQuery !== null && to.query !== ownQuery) return { from, to: from, rule };
    ownQuery = to.query;
  }
  return null;
}

function warnOfCycle(cycle: readonly Redirect[], warn: Warn): void {
  const lastRule = cycle.map(({ rule }) => rule).reduce((a, b) => (a.order > b.order ? a : b));
  const addresses = cycle.slice(0, MAX_SHOWN_ADDRESSES).map(({ from }) => quote(`/${from}`));
  const shownLoop = [...addresses, ...(cycle.length > MAX_SHOWN_ADDRESSES ? ['…'] : []), addresses[0]!].join(' -> ');
  warn(lastRule.placedRule.position, `These redirects form a loop: ${shownLoop}.`);
}
