import type { Destination, Target } from './destination.ts';
import type { Pattern } from './pattern.ts';

/** The compiled rule files of a deployment, stored as JSON. Source: serving S22, S25. */
export interface RuleData {
  cleanUrls: boolean;
  /** `null` is the default, which is neither true nor false. */
  trailingSlash: boolean | null;
  /** Tried before files: `redirects` of `ship.json` in order, then the lines of `_redirects` marked `!`. */
  forced: PathRule[];
  /** Tried when no file answers: `rewrites` of `ship.json` in order, then the other lines of `_redirects`. */
  whenMissing: PathRule[];
  /** The blocks of `_headers` in order, then the entries of `ship.json`. */
  headers: HeaderRule[];
}

/** A redirect, rewrite or 404 rule, as stored with a deployment. Source: serving S24, S25. */
export interface PathRule {
  from: Pattern;
  status: RuleStatus;
  to: Destination;
}

/** A header field: its name and its value. */
export type HeaderField = readonly [name: string, value: string];

/** A block of `_headers` or an entry of `ship.json`, as stored with a deployment. Source: serving S33. */
export interface HeaderRule {
  from: Pattern;
  /** True for `ship.json`, whose values replace earlier ones. Values of `_headers` are appended to earlier ones. */
  replaces: boolean;
  /** The headers to set, in order; a value of `null` removes the header. */
  steps: (readonly [name: string, value: string | null])[];
}

/** The rules of a site, prepared for matching. */
export interface SiteRules {
  readonly cleanUrls: boolean;
  readonly trailingSlash: boolean | null;
  readonly forced: PathRules;
  readonly whenMissing: PathRules;
  readonly headers: HeaderRules;
}

/** Rules in order. Literal ones are found in a hash map. Source: serving S24, S26, S66. */
export interface PathRules {
  /**
   * The rules that match a path, in order. The caller decides whether a rule can act; if not, it tries the next one.
   *
   * @param path In the format of `RequestPath.path`: decoded, in NFC, without the leading slash.
   */
  matches(path: string): Iterable<RuleMatch>;
}

/** The status codes of rules. Source: serving S25. */
export type RuleStatus = 200 | 404 | RedirectStatus;

/** The status codes of redirects. */
export type RedirectStatus = 301 | 302 | 303 | 307 | 308;

/** A rule that matches a path, with the captures filled into its destination. */
export interface RuleMatch extends Target {
  status: RuleStatus;
  /** Whether the rule has status 200 and a star. It is a fallback if its destination is a page. Source: serving S36. */
  isFallback: boolean;
}

/** The header rules of a site. */
export interface HeaderRules {
  /** Whether there are no rules, so that applying them can be skipped. */
  readonly isEmpty: boolean;
  /**
   * Applies the rules that match a path to the header fields of a response.
   *
   * @param path The path that the visitor requested, in the format of `RequestPath.path`.
   * @param fields The fields without rules: names as they are sent, with their values.
   * @returns The fields of the response. Source: serving S32 to S35, S43, S65.
   */
  apply(path: string, fields: readonly HeaderField[], answer: RuledAnswer): readonly HeaderField[];
}

/** The response that header rules are applied to. */
export interface RuledAnswer {
  /** Rules can set only `Cache-Control` on a redirect, and everything else on a 404 page. */
  kind: 'file' | 'options' | 'redirect' | 'not-found';
  /** Whether the host is a subdomain of the platform domain. */
  onPlatformDomain: boolean;
  /** Whether no account owns the deployment yet. */
  anonymous: boolean;
  /** Whether the site has a password. */
  isProtected: boolean;
}
