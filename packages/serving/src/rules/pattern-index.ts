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
  const openPatterns: { order: number; rule: Rule; pattern: OpenPattern }[] = [];
  for (const [order, rule] of rules.entries()) {
    const { from } = rule;
    if (typeof from !== 'string') openPatterns.push({ order, rule, pattern: from });
    else {
      const placedRule: Placed<Rule> = { order, hit: [rule, NO_HITS] };
      const sameLiteral = literal.get(from);
      if (sameLiteral) sameLiteral.push(placedRule);
      else literal.set(from, [placedRule]);
    }
  }

  function* mergeHits(subject: Subject): Generator<Hit<Rule>> {
    const exactHits = literal.get(subject.bare) ?? NO_HITS;
    let nextExact = 0;
    for (const { order, rule, pattern } of openPatterns) {
      for (; nextExact < exactHits.length && exactHits[nextExact]!.order < order; nextExact += 1)
        yield exactHits[nextExact]!.hit;
      const captures = matchPattern(pattern, subject);
      if (captures) yield [rule, captures];
    }
    for (; nextExact < exactHits.length; nextExact += 1) yield exactHits[nextExact]!.hit;
  }

  return { find: (path) => (rules.length === 0 ? NO_HITS : mergeHits(subjectOf(path))) };
}
