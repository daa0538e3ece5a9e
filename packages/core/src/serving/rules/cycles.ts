import { type Placed, quote, type Warn } from './fault.ts';
import type { PathRule } from './path-rules.ts';
import { subjectOf } from './pattern.ts';

/** One step from a literal path to another. */
interface Hop {
  to: string;
  placed: Placed<PathRule>;
}

const MOST_SHOWN = 4;

/**
 * Warns of literal redirects that lead from one to the next and back, once a cycle. Which rule of several for one path acts
 * is for the order to say, so only the first counts.
 *
 * Source: serving S28.
 */
export function warnOfCycles(rules: readonly Placed<PathRule>[], warn: Warn): void {
  const hops = new Map<string, Hop>();
  for (const placed of rules) {
    const { from, to, status } = placed.rule;
    if (typeof from !== 'string' || hops.has(from)) continue;
    if (status === 200 || status === 404 || to.origin !== null || typeof to.path !== 'string') continue;
    hops.set(from, { to: subjectOf(to.path).bare, placed });
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
    for (const path of way) settled.add(path);
    const cycle = onWay.has(at) ? way.slice(way.indexOf(at)) : [];
    if (cycle.length > 1)
      warn(hops.get(cycle.at(-1)!)!.placed.position, `These redirects run in a circle: ${shown(cycle)}.`);
  }
}

function shown(cycle: readonly string[]): string {
  const names = cycle.slice(0, MOST_SHOWN).map((path) => quote(`/${path}`));
  return [...names, ...(cycle.length > MOST_SHOWN ? ['…'] : []), quote(`/${cycle[0]!}`)].join(' -> ');
}
