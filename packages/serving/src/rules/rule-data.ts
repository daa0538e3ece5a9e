import type { HeaderRule } from './header-rules.ts';
import type { PathRule } from './path-rules.ts';

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
