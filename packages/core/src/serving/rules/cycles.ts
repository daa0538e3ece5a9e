import { type Placed, quote, type Warn } from './fault.ts';
import type { PathRule } from './rules.ts';

/** A rule for a literal path, and its place among all of them. */
interface Step {
  placed: Placed<PathRule>;
  order: number;
}

/** Where a redirect leads from an address. */
interface Hop {
  to: string;
  step: Step;
}

const MOST_SHOWN = 4;

/**
 * Warns of literal redirects that lead from one address to the next and back, once a cycle, at its last rule. Takes time
 * linear in the number of rules.
 *
 * `/a` and `/a/` are two addresses, which the same rules match. At each of them the first rule counts that does not lead to
 * that very address.
 *
 * @param rules In the order in which they are tried. Source: serving S26, S28.
 */
export function warnOfCycles(rules: readonly Placed<PathRule>[], warn: Warn): void {
  const steps = stepsByPath(rules);
  const hops = new Map<string, Hop>();
  for (const path of steps.keys())
    for (const address of path === '' ? [path] : [path, `${path}/`]) {
      const hop = hopFrom(address, steps.get(path)!);
      if (hop) hops.set(address, hop);
    }
  const settled = new Set<string>();
  for (const start of hops.keys()) {
    const way: string[] = [];
    const onWay = new Set<string>();
    let at = start;
    while (hops.has(at) && !settled.has(at) && !onWay.has(at)) {
      way.push(at);
      onWay.add(at);
      at = hops.get(at)!.to;
    }
    for (const address of way) settled.add(address);
    if (onWay.has(at)) warnOfCycle(way.slice(way.indexOf(at)), hops, warn);
  }
}

function stepsByPath(rules: readonly Placed<PathRule>[]): Map<string, Step[]> {
  const steps = new Map<string, Step[]>();
  for (const [order, placed] of rules.entries()) {
    const { from } = placed.rule;
    if (typeof from !== 'string') continue;
    const known = steps.get(from);
    if (known) known.push({ placed, order });
    else steps.set(from, [{ placed, order }]);
  }
  return steps;
}

/** Where the rules for the path of an address lead from there; `null` when they answer it, leave the site, or have no effect. */
function hopFrom(address: string, steps: readonly Step[]): Hop | null {
  let ownQuery: string | null = null;
  for (const step of steps) {
    const { status, to } = step.placed.rule;
    if (status === 200 || status === 404 || to.origin !== null || typeof to.path !== 'string') return null;
    if (to.path !== address) return { to: to.path, step };
    // A redirect to its own address acts only where the query is another one: two of them lead back and forth.
    if (typeof to.query !== 'string' || to.query === '') continue;
    if (ownQuery !== null && to.query !== ownQuery) return { to: address, step };
    ownQuery = to.query;
  }
  return null;
}

function warnOfCycle(cycle: readonly string[], hops: ReadonlyMap<string, Hop>, warn: Warn): void {
  const { placed } = cycle.map((address) => hops.get(address)!.step).reduce((a, b) => (a.order > b.order ? a : b));
  warn(placed.position, `These redirects run in a circle: ${shown(cycle)}.`);
}

function shown(cycle: readonly string[]): string {
  const names = cycle.slice(0, MOST_SHOWN).map((path) => quote(`/${path}`));
  return [...names, ...(cycle.length > MOST_SHOWN ? ['…'] : []), quote(`/${cycle[0]!}`)].join(' -> ');
}
