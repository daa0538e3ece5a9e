import type { HeaderField, HeaderRule } from './header-rules.ts';
import type { PathRule } from './path-rules.ts';

/** What the rule files of a deployment say, as the deployment keeps it: JSON. Source: serving S22, S25. */
export interface RuleData {
  cleanUrls: boolean;
  /** `null` is the default, which is neither. */
  trailingSlash: boolean | null;
  /** Tried before files: `redirects` of `ship.json` in order, then the lines of `_redirects` marked `!`. */
  forced: PathRule[];
  /** Tried when no file answers: `rewrites` of `ship.json` in order, then the other lines of `_redirects`. */
  whenMissing: PathRule[];
  /** The blocks of `_headers` in order, then the entries of `ship.json`. */
  headers: HeaderRule[];
}

/** The rules of a site, made ready to be asked. */
export interface SiteRules {
  readonly cleanUrls: boolean;
  readonly trailingSlash: boolean | null;
  readonly forced: PathRules;
  readonly whenMissing: PathRules;
  readonly headers: HeaderRules;
}

/** Rules in order, of which literal ones are found at once. Source: serving S24, S26, S66. */
export interface PathRules {
  /**
   * The rules that match a path, in order. Whether one can act is for its caller to say; the next one is then tried.
   *
   * @param path As `RequestPath` has it: decoded, in NFC, without the leading slash.
   */
  matches(path: string): Iterable<RuleMatch>;
}

/** The codes a rule may have. Source: serving S25. */
export type RuleStatus = 200 | 404 | RedirectStatus;

/** The codes of redirects. */
export type RedirectStatus = 301 | 302 | 303 | 307 | 308;

/** A rule that matches a path, with what the path put into its destination. */
export interface RuleMatch {
  status: RuleStatus;
  /** `https://host:port` for another origin, `null` for a path of this site. */
  origin: string | null;
  /** Where it leads: decoded, in NFC, without the leading slash. */
  path: string;
  /** From `?` on, encoded; empty when the destination has none. */
  query: string;
  /** From `#` on, encoded; empty when the destination has none. */
  fragment: string;
  /** Whether it is a rule of status 200 with a star: a fallback, when what it leads to is a page. Source: serving S36. */
  isFallback: boolean;
}

/** The header rules of a site. */
export interface HeaderRules {
  /** True when there are none: then there is nothing to apply. */
  readonly isEmpty: boolean;
  /**
   * Applies the rules for a path to the fields an answer would have without them.
   *
   * @param path The path the visitor asked for, as `RequestPath` has it.
   * @param fields Names as they are to be sent, with their values.
   * @returns The fields of the answer. Source: serving S32 to S35, S43, S65.
   */
  apply(path: string, fields: readonly HeaderField[], answer: RuledAnswer): readonly HeaderField[];
}

/** Which answer header rules are applied to. */
export interface RuledAnswer {
  /** A redirect takes only `Cache-Control`, a 404 page everything but that. */
  kind: 'file' | 'options' | 'redirect' | 'not-found';
  /** Whether the host is a name below the platform domain. */
  onPlatformDomain: boolean;
  /** Whether nobody owns the deployment yet. */
  anonymous: boolean;
  /** Whether the site has a password. */
  isProtected: boolean;
}
