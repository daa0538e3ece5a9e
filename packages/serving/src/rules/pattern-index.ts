import { matchPattern, type OpenPattern, type Pattern, type Subject, subjectOf } from './pattern.ts';

type Hit<Rule> = readonly [rule: Rule, captures: readonly string[]];

interface PatternIndex<Rule> {
  /** Finds the rules whose pattern matches, in order. @param path A path in the format of `RequestPath.path`. */
  find(path: string): Iterable<Hit<Rule>>;
}

interface Placed<Rule> {
  order: number;
  hit: Hit<Rule>;
}

const NO_HITS: readonly never[] = [];

/** Builds an index that finds literal patterns in a hash map and tries the other patterns in order. Source: serving S26, S66. */
export function indexPatterns<Rule extends { readonly from: Pattern }>(rules: readonly Rule[]): PatternIndex<Rule> {
  const literal = new Map<string, Placed<Rule>[]>();
  const open: { order: number; rule: Rule; pattern: OpenPattern }[] = [];
  for (const [order, rule] of rules.entries()) {
    const { from } = rule;
    if (typeof from !== 'string') open.push({ order, rule, pattern: from });
    else {
      const placed: Placed<Rule> = { order, hit: [rule, NO_HITS] };
      const others = literal.get(from);
      if (others) others.push(placed);
      else literal.set(from, [placed]);
    }
  }

  function* merge(subject: Subject): Generator<Hit<Rule>> {
    const exact = literal.get(subject.bare) ?? NO_HITS;
    let next = 0;
    for (const { order, rule, pattern } of open) {
      for (; next < exact.length && exact[next]!.order < order; next += 1) yield exact[next]!.hit;
      const captures = matchPattern(pattern, subject);
      if (captures) yield [rule, captures];
    }
    for (; next < exact.length; next += 1) yield exact[next]!.hit;
  }

  return { find: (path) => (rules.length === 0 ? NO_HITS : merge(subjectOf(path))) };
}
