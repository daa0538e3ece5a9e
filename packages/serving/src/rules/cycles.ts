import { type Placed, quote, type Warn } from './fault.ts';
import type { PathRule } from './rules.ts';

interface LiteralRule {
  placed: Placed<PathRule>;
  /** Its index among all rules. */
  order: number;
}

interface Redirect {
  to: string;
  rule: LiteralRule;
}

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
  const redirects = redirectsByAddress(rules);
  for (const cycle of findCycles(redirects)) warnOfCycle(cycle, redirects, warn);
}

function redirectsByAddress(rules: readonly Placed<PathRule>[]): Map<string, Redirect> {
  const redirects = new Map<string, Redirect>();
  for (const [path, rulesOfPath] of rulesByPath(rules))
    for (const address of path === '' ? [path] : [path, `${path}/`]) {
      const redirect = redirectAt(address, rulesOfPath);
      if (redirect) redirects.set(address, redirect);
    }
  return redirects;
}

function rulesByPath(rules: readonly Placed<PathRule>[]): Map<string, LiteralRule[]> {
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

/** The redirect at an address; `null` if the rules for its path show a file, leave the site, or have no effect. */
function redirectAt(address: string, rules: readonly LiteralRule[]): Redirect | null {
  let ownQuery: string | null = null;
  for (const rule of rules) {
    const { status, to } = rule.placed.rule;
    if (status === 200 || status === 404 || to.origin !== null || typeof to.path !== 'string') return null;
    if (to.path !== address) return { to: to.path, rule };
    // A redirect to its own address acts only if its query differs from that of the request. Two of them form a cycle.
    if (typeof to.query !== 'string' || to.query === '') continue;
    if (ownQuery !== null && to.query !== ownQuery) return { to: address, rule };
    ownQuery = to.query;
  }
  return null;
}

function* findCycles(redirects: ReadonlyMap<string, Redirect>): Generator<string[]> {
  const visited = new Set<string>();
  for (const start of redirects.keys()) {
    const chain = new Set<string>();
    let address = start;
    while (redirects.has(address) && !visited.has(address) && !chain.has(address)) {
      chain.add(address);
      address = redirects.get(address)!.to;
    }
    for (const passed of chain) visited.add(passed);
    if (chain.has(address)) yield [...chain].slice([...chain].indexOf(address));
  }
}

function warnOfCycle(cycle: readonly string[], redirects: ReadonlyMap<string, Redirect>, warn: Warn): void {
  const last = cycle.map((address) => redirects.get(address)!.rule).reduce((a, b) => (a.order > b.order ? a : b));
  warn(last.placed.position, `These redirects form a loop: ${formatCycle(cycle)}.`);
}

function formatCycle(cycle: readonly string[]): string {
  const names = cycle.slice(0, MAX_SHOWN).map((path) => quote(`/${path}`));
  return [...names, ...(cycle.length > MAX_SHOWN ? ['…'] : []), quote(`/${cycle[0]!}`)].join(' -> ');
}
