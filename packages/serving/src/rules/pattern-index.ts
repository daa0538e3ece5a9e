import { matchPattern, type OpenPattern, type Pattern, type Subject, subjectOf } from './pattern.ts';

/** A rule that applies to the paths of a pattern. */
export interface Patterned {
  readonly from: Pattern;
}

type Hit<Rule> = readonly [rule: Rule, captures: readonly string[]];

/** An index of rules by pattern. */
export interface PatternIndex<Rule> {
  /** The rules whose pattern matches, in order. @param path In the format of `RequestPath.path`. */
  find(path: string): Iterable<Hit<Rule>>;
}

interface Placed<Rule> {
  order: number;
  hit: Hit<Rule>;
}

const NOTHING: readonly never[] = [];

/** Builds an index: literal patterns in a hash map, the others in order. Source: serving S26, S66. */
export function indexPatterns<Rule extends Patterned>(rules: readonly Rule[]): PatternIndex<Rule> {
  const literal = new Map<string, Placed<Rule>[]>();
  const open: { order: number; rule: Rule; pattern: OpenPattern }[] = [];
  for (const [order, rule] of rules.entries()) {
    const { from } = rule;
    if (typeof from !== 'string') open.push({ order, rule, pattern: from });
    else {
      const placed: Placed<Rule> = { order, hit: [rule, NOTHING] };
      const others = literal.get(from);
      if (others) others.push(placed);
      else literal.set(from, [placed]);
    }
  }

  function* merge(subject: Subject): Generator<Hit<Rule>> {
    const exact = literal.get(subject.bare) ?? NOTHING;
    let next = 0;
    for (const { order, rule, pattern } of open) {
      for (; next < exact.length && exact[next]!.order < order; next += 1) yield exact[next]!.hit;
      const captures = matchPattern(pattern, subject);
      if (captures) yield [rule, captures];
    }
    for (; next < exact.length; next += 1) yield exact[next]!.hit;
  }

  return { find: (path) => (rules.length === 0 ? NOTHING : merge(subjectOf(path))) };
}
