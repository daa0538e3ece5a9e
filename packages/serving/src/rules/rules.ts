import type { Destination, Target, Template } from './destination.ts';
import type { Pattern } from './pattern.ts';

/** The compiled rule files of a deployment, stored as JSON. Source: serving S22, S25. */
export interface RuleData {
  cleanUrls: boolean;
  /** The setting `trailingSlash`. Default: `null`, which differs from `true` and `false`. */
  trailingSlash: boolean | null;
  /** The rules that come before files: `redirects` of `ship.json` in order, then the lines of `_redirects` with `!`. */
  forced: PathRule[];
  /** The rules for paths without a file: `rewrites` of `ship.json` in order, then the other lines of `_redirects`. */
  whenMissing: PathRule[];
  /** The blocks of `_headers` in order, then the `headers` of `ship.json`. */
  headers: HeaderRule[];
}

/** A rule that may apply to one host only. */
export interface HostRule {
  /**
   * The only host that the rule applies to, in lower case and without a port. A label `*` matches any one label. Absent for a rule
   * that applies to every host.
   */
  host?: string;
}

/** A redirect, rewrite or 404 rule, as the database stores it. Source: serving S24, S25. */
export interface PathRule extends HostRule {
  from: Pattern;
  status: RuleStatus;
  to: Destination;
}

/** The name and the value of a header field. */
export type HeaderField = readonly [name: string, value: string];

/** A block of `_headers` or an entry of `ship.json`, as the database stores it. Source: serving S33. */
export interface HeaderRule extends HostRule {
  from: Pattern;
  /** True for `ship.json`, whose values replace earlier values. Values of `_headers` are appended to earlier values of a list. */
  replaces: boolean;
  /** The headers to set, in order. */
  steps: (readonly [name: string, value: HeaderValue])[];
}

/** The value that a rule gives to a header: a text, a text with captures, or `null` to remove the header. Source: serving S24, S33. */
export type HeaderValue = Template | null;

/** The rules of a site, prepared for matching. */
export interface SiteRules extends Readonly<Pick<RuleData, 'cleanUrls' | 'trailingSlash'>> {
  readonly forced: PathRules;
  readonly whenMissing: PathRules;
  readonly headers: HeaderRules;
  /** Whether a rule applies to one host only, so that responses differ between the hosts of the site. */
  readonly dependOnHost: boolean;
}

/** The redirect, rewrite and 404 rules of a site, in order. Source: serving S24, S26, S66. */
export interface PathRules {
  /**
   * Yields the rules that match a path, in order.
   *
   * @param path A path in the format of `RequestPath.path`.
   * @param host The host of the request, in lower case and without a port.
   */
  matches(path: string, host: string): Iterable<RuleMatch>;
}

/** The status codes of rules. Source: serving S25. */
export type RuleStatus = 200 | 404 | RedirectStatus;

/** The status codes of redirects. */
export type RedirectStatus = 301 | 302 | 303 | 307 | 308;

/** A rule that matches a path, with the captures filled into its destination. */
export interface RuleMatch extends Target {
  status: RuleStatus;
  /** Whether the rule has the status 200 and a star. Such a rule is a fallback if its destination is a page. Source: serving S36. */
  isFallback: boolean;
}

/** The header rules of a site. */
export interface HeaderRules {
  /** Whether there are no rules to apply. */
  readonly isEmpty: boolean;
  /**
   * Applies the rules that match a path to the header fields of a response.
   *
   * @param path The path that the visitor requested, in the format of `RequestPath.path`.
   * @param fields The default fields of the response.
   * @returns The fields of the response. Source: serving S32 to S35, S43, S65.
   */
  apply(path: string, fields: readonly HeaderField[], answer: RuledAnswer): readonly HeaderField[];
}

/** The response that header rules are applied to. */
export interface RuledAnswer {
  /** The kind of the response: rules can set only `Cache-Control` on a redirect, and everything else on a 404 page. */
  kind: 'file' | 'options' | 'redirect' | 'not-found';
  /** The host of the request, in lower case and without a port. */
  host: string;
  /** Whether the host is a subdomain of the platform domain. */
  onPlatformDomain: boolean;
  /** Whether no account owns the deployment yet. */
  anonymous: boolean;
  /** Whether the site has a password. */
  isProtected: boolean;
}
