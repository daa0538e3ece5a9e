import { readDestination } from './destination.ts';
import { Fault, keyName, type Placed, quote, type Warn } from './fault.ts';
import { nameFault, valueFault } from './reserved-headers.ts';
import { readPattern } from './pattern.ts';
import type { HeaderRule, PathRule, RuleStatus } from './rules.ts';
import type { ShipJson } from './parse-ship-json.ts';

const FILE = 'ship.json';
const MAX_ENTRIES = { redirects: 2000, rewrites: 500, headers: 500 };
const KEYS = ['cleanUrls', 'trailingSlash', 'redirects', 'rewrites', 'headers'];
const REDIRECT_STATUSES: ReadonlySet<unknown> = new Set<RuleStatus>([301, 302, 303, 307, 308]);

/** The settings and rules of a `ship.json`. */
export interface ShipRules {
  cleanUrls: boolean;
  trailingSlash: boolean | null;
  redirects: Placed<PathRule>[];
  rewrites: Placed<PathRule>[];
  headers: Placed<HeaderRule>[];
}

/** Warns that the value at a path such as `rewrites[3].source` is invalid. Returns `null`, for the caller to return. */
type Refuse = (at: string, message: string) => null;

/** Reads the settings and rules of a parsed `ship.json`; invalid ones are skipped with a warning. Source: serving S23 to S25, S30, S33 to S35, S65. */
export function readShipJson(json: ShipJson, warn: Warn): ShipRules {
  const refuse: Refuse = (at, message) => {
    warn({ file: FILE, at }, `Skipped: ${message}.`);
    return null;
  };
  for (const key of Object.keys(json))
    if (!KEYS.includes(key)) refuse(keyName(key), `this key is unknown; the keys are ${KEYS.join(', ')}`);
  return {
    cleanUrls: readSetting(json, 'cleanUrls', refuse) ?? false,
    trailingSlash: readSetting(json, 'trailingSlash', refuse),
    redirects: readList(json, 'redirects', refuse, readRedirect),
    rewrites: readList(json, 'rewrites', refuse, readRewrite),
    headers: readList(json, 'headers', refuse, readHeaders),
  };
}

function readSetting(json: ShipJson, key: 'cleanUrls' | 'trailingSlash', refuse: Refuse): boolean | null {
  const value = json[key];
  if (value === undefined || typeof value === 'boolean') return value ?? null;
  return refuse(key, 'it must be true or false');
}

function readList<Rule>(
  json: ShipJson,
  key: keyof typeof MAX_ENTRIES,
  refuse: Refuse,
  read: (entry: ShipJson, at: string, refuse: Refuse) => Rule | null,
): Placed<Rule>[] {
  const entries = json[key] ?? [];
  if (!Array.isArray(entries)) return refuse(key, 'it must be a list of entries, in [ ]') ?? [];
  const max = MAX_ENTRIES[key];
  if (entries.length > max)
    refuse(`${key}[${max}]`, `this entry and all further ones; there can be at most ${max} ${key}`);
  return entries.slice(0, max).flatMap((entry: unknown, index) => {
    const at = `${key}[${index}]`;
    const rule = isObject(entry) ? read(entry, at, refuse) : refuse(at, 'an entry must be an object, in { }');
    return rule === null ? [] : [{ rule, position: { file: FILE, at } }];
  });
}

function readRedirect(entry: ShipJson, at: string, refuse: Refuse): PathRule | null {
  if (!hasKeys(entry, ['source', 'destination'], ['permanent', 'statusCode'], at, refuse)) return null;
  const { permanent = true, statusCode = permanent === false ? 307 : 308 } = entry;
  if (typeof permanent !== 'boolean') return refuse(`${at}.permanent`, 'it must be true or false');
  if (!isRedirectStatus(statusCode))
    return refuse(`${at}.statusCode`, `it must be one of ${[...REDIRECT_STATUSES].join(', ')}`);
  return readPathRule(entry, statusCode, at, refuse);
}

function readRewrite(entry: ShipJson, at: string, refuse: Refuse): PathRule | null {
  return hasKeys(entry, ['source', 'destination'], [], at, refuse) ? readPathRule(entry, 200, at, refuse) : null;
}

function readPathRule(entry: ShipJson, status: RuleStatus, at: string, refuse: Refuse): PathRule | null {
  const source = readPattern(String(entry['source']), 'json');
  if (source instanceof Fault) return refuse(`${at}.source`, source.message);
  const to = readDestination(String(entry['destination']), source.captures, 'json');
  if (to instanceof Fault) return refuse(`${at}.destination`, to.message);
  if (status === 200 && to.origin !== null)
    return refuse(
      `${at}.destination`,
      'a rewrite must point to a file of the site; only a redirect can point to another host',
    );
  return { from: source.pattern, status, to };
}

function readHeaders(entry: ShipJson, at: string, refuse: Refuse): HeaderRule | null {
  if (!hasKeys(entry, ['source'], ['headers'], at, refuse)) return null;
  const source = readPattern(String(entry['source']), 'json');
  if (source instanceof Fault) return refuse(`${at}.source`, source.message);
  const { headers } = entry;
  if (!Array.isArray(headers))
    return refuse(`${at}.headers`, 'it must be a list such as [{"key": "X-A", "value": "1"}]');
  const steps = headers.flatMap((header: unknown, index): HeaderRule['steps'] => {
    const where = `${at}.headers[${index}]`;
    if (!isObject(header))
      return refuse(where, 'a header must be an object such as {"key": "X-A", "value": "1"}') ?? [];
    if (!hasKeys(header, ['key', 'value'], [], where, refuse)) return [];
    const name = String(header['key']);
    const value = String(header['value']).trim();
    const badName = nameFault(name);
    const badValue = valueFault(value);
    if (badName) return refuse(`${where}.key`, badName.message) ?? [];
    if (badValue) return refuse(`${where}.value`, badValue.message) ?? [];
    return [[name, value]];
  });
  return steps.length === 0 ? null : { from: source.pattern, replaces: true, steps };
}

/** Whether an entry has the strings it needs and no unknown key: without an unsupported condition it would be another rule. */
function hasKeys(entry: ShipJson, required: string[], optional: string[], at: string, refuse: Refuse): boolean {
  const unknown = Object.keys(entry).find((key) => !required.includes(key) && !optional.includes(key));
  if (unknown !== undefined) {
    refuse(
      at,
      `${quote(unknown)} is not supported, and a rule cannot be applied in part; the keys are ${[...required, ...optional].join(', ')}`,
    );
    return false;
  }
  for (const key of required)
    if (typeof entry[key] !== 'string') {
      refuse(`${at}.${key}`, 'it must be a string, in quotes');
      return false;
    }
  return true;
}

function isRedirectStatus(status: unknown): status is RuleStatus {
  return REDIRECT_STATUSES.has(status);
}

function isObject(value: unknown): value is ShipJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
