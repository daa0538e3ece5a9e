import { type Placed, quote, type Warn } from './fault.ts';
import { withoutSlash } from './pattern.ts';
import type { PathRule } from './rules.ts';

interface LiteralRule {
  placed: Placed<PathRule>;
  /** Its index among all rules. */
  order: number;
}

/** A redirect at one address. */
interface Redirect {
  from: string;
  to: string;
  rule: LiteralRule;
}

type RulesByPath = ReadonlyMap<string, readonly LiteralRule[]>;

const MAX_SHOWN = 4;

/**
 * Warns about literal redirects that form a cycle: one warning for each cycle, at its last rule. Takes time linear in the
 * number of rules.
 *
 * `/a` and `/a/` are two addresses that the same rules match. At each of them, the first rule applies that does not lead to
 * the address itself.
 *
 * @param rules In the order in which they are tried. Source: serving S26, S28.
 */
export function warnOfCycles(rules: readonly Placed<PathRule>[], warn: Warn): void {
  for (const cycle of findCycles(rulesByPath(rules))) warnOfCycle(cycle, warn);
}

function rulesByPath(rules: readonly Placed<PathRule>[]): RulesByPath {
  const byPath = new Map<string, LiteralRule[]>();
  for (const [order, placed] of rules.entries()) {
    const { from } = placed.rule;
    if (typeof from !== 'string') continue;
    const others = byPath.get(from);
    if (others) others.push({ placed, order });
    else byPath.set(from, [{ placed, order }]);
  }
  return byPath;
}

function* findCycles(byPath: RulesByPath): Generator<Redirect[]> {
  const visited = new Set<string>();
  for (const path of byPath.keys())
    for (const start of path === '' ? [path] : [path, `${path}/`]) {
      const chain: Redirect[] = [];
      let address = start;
      while (!visited.has(address)) {
        const redirect = redirectAt(address, byPath);
        if (!redirect || !byPath.has(withoutSlash(redirect.to))) break;
        visited.add(address);
        chain.push(redirect);
        address = redirect.to;
      }
      const first = chain.findIndex(({ from }) => from === address);
      if (first >= 0) yield chain.slice(first);
    }
}

/** The redirect at an address; `null` if the rules for its path show a file, leave the site, or have no effect. */
function redirectAt(from: string, byPath: RulesByPath): Redirect | null {
  let ownQuery: string | null = null;
  for (const rule of byPath.get(withoutSlash(from))!) {
    const { status, to } = rule.placed.rule;
    if (status === 200 || status === 404 || to.origin !== null || typeof to.path !== 'string') return null;
    if (to.path !== from) return { from, to: to.path, rule };
    // A redirect to its own address acts only if its query differs from that of the request. Two of them form a cycle.
    if (typeof to.query !== 'string' || to.query === '') continue;
    if (ownQuery !== null && to.query !== ownQuery) return { from, to: from, rule };
    ownQuery = to.query;
  }
  return null;
}

function warnOfCycle(cycle: readonly Redirect[], warn: Warn): void {
  const last = cycle.map(({ rule }) => rule).reduce((a, b) => (a.order > b.order ? a : b));
  warn(last.placed.position, `These redirects form a loop: ${formatCycle(cycle.map(({ from }) => from))}.`);
}

function formatCycle(cycle: readonly string[]): string {
  const names = cycle.slice(0, MAX_SHOWN).map((path) => quote(`/${path}`));
  return [...names, ...(cycle.length > MAX_SHOWN ? ['…'] : []), quote(`/${cycle[0]!}`)].join(' -> ');
}
