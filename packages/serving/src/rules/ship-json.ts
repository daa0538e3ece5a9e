import { readDestination, readValue } from './destination.ts';
import { Fault, keyName, type Placed, quote, type Warn } from './fault.ts';
import { isAlwaysSent, nameFault, valueFault } from './reserved-headers.ts';
import { readPattern } from './pattern.ts';
import type { HeaderRule, PathRule, RuleStatus } from './rules.ts';

/** The maximum size of a `ship.json`, in bytes. Source: serving S65. */
export const MAX_SHIP_JSON_BYTES = 256 * 1024;

const FILE = 'ship.json';
const MAX_ENTRIES = { redirects: 2000, rewrites: 500, headers: 500 };
const KEYS = ['cleanUrls', 'trailingSlash', 'redirects', 'rewrites', 'headers'];
/** Names the JSON schema that editors check the file with. */
const EDITOR_KEY = '$schema';
const REDIRECT_STATUSES: ReadonlySet<unknown> = new Set<RuleStatus>([301, 302, 303, 307, 308]);
const MAX_DEPTH = 8;

/** A parsed `ship.json` whose keys and values are not checked yet. */
export type ShipJson = Readonly<Record<string, unknown>>;

/** Parses a `ship.json`. A deploy with a fault here is rejected as a whole. Source: api §3; serving S23, S65. */
export function parseShipJson(bytes: Uint8Array): ShipJson | Fault {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    return new Fault(
      `the file must be a JSON object in UTF-8 (${error instanceof SyntaxError ? error.message : 'the file is not UTF-8'})`,
    );
  }
  if (!isObject(value)) return new Fault('the file must be a JSON object, such as {"cleanUrls": true}');
  return depthOf(value) > MAX_DEPTH ? new Fault(`the JSON must be nested at most ${MAX_DEPTH} deep`) : value;
}

function depthOf(json: object): number {
  let depth = 0;
  for (let level: object[] = [json]; level.length > 0; depth += 1)
    level = level.flatMap(Object.values).filter((inner) => typeof inner === 'object' && inner !== null);
  return depth;
}

/** The settings and rules of a `ship.json`. */
interface ShipRules {
  cleanUrls: boolean;
  trailingSlash: boolean | null;
  redirects: Placed<PathRule>[];
  rewrites: Placed<PathRule>[];
  headers: Placed<HeaderRule>[];
}

/** Warns that the value at a position such as `rewrites[3].source` is invalid. Returns `null`. */
type Refuse = (at: string, message: string) => null;

/** Reads the settings and rules of a parsed `ship.json`. Skips invalid entries with a warning. Source: serving S23 to S25, S30, S33 to S35, S65. */
export function readShipJson(json: ShipJson, warn: Warn): ShipRules {
  const refuseValue: Refuse = (at, message) => {
    warn({ file: FILE, at }, `Skipped: ${message}.`);
    return null;
  };
  for (const key of Object.keys(json))
    if (key === 'routes')
      refuseValue(key, 'this is the old form; write its entries as redirects, rewrites and headers');
    else if (!KEYS.includes(key) && key !== EDITOR_KEY)
      refuseValue(keyName(key), `this key is unknown; the keys are ${KEYS.join(', ')}`);
  return {
    cleanUrls: readSetting(json, 'cleanUrls', refuseValue) ?? false,
    trailingSlash: readSetting(json, 'trailingSlash', refuseValue),
    redirects: readList(json, 'redirects', refuseValue, readRedirect),
    rewrites: readList(json, 'rewrites', refuseValue, readRewrite),
    headers: readList(json, 'headers', refuseValue, readHeaders),
  };
}

function readSetting(json: ShipJson, key: 'cleanUrls' | 'trailingSlash', refuse: Refuse): boolean | null {
  const value = json[key];
  if (value === undefined || typeof value === 'boolean') return value ?? null;
  return refuse(key, 'the value must be true or false');
}

function readList<Rule>(
  json: ShipJson,
  key: keyof typeof MAX_ENTRIES,
  refuse: Refuse,
  read: (entry: ShipJson, at: string, refuse: Refuse) => Rule | null,
): Placed<Rule>[] {
  const entries = json[key] ?? [];
  if (!Array.isArray(entries)) return refuse(key, 'the value must be a list of entries, in [ ]') ?? [];
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
  if (typeof permanent !== 'boolean') return refuse(`${at}.permanent`, 'the value must be true or false');
  if (!REDIRECT_STATUSES.has(statusCode))
    return refuse(`${at}.statusCode`, `the value must be one of ${[...REDIRECT_STATUSES].join(', ')}`);
  return readPathRule(entry, statusCode as RuleStatus, at, refuse);
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
    return refuse(`${at}.headers`, 'the value must be a list such as [{"key": "X-A", "value": "1"}]');
  const steps = headers.flatMap((header: unknown, index): HeaderRule['steps'] => {
    const where = `${at}.headers[${index}]`;
    if (!isObject(header))
      return refuse(where, 'a header must be an object such as {"key": "X-A", "value": "1"}') ?? [];
    if (!hasKeys(header, ['key', 'value'], [], where, refuse)) return [];
    const name = String(header['key']);
    const value = String(header['value']).trim();
    if (isAlwaysSent(name, value)) return [];
    const badName = nameFault(name);
    const badValue = valueFault(value);
    if (badName) return refuse(`${where}.key`, badName.message) ?? [];
    if (badValue) return refuse(`${where}.value`, badValue.message) ?? [];
    return [[name, readValue(value, source.captures, 'json')]];
  });
  return steps.length === 0 ? null : { from: source.pattern, replaces: true, steps };
}

/** Whether an entry has all required strings and no unknown key. A rule without its unknown condition would apply too often. */
function hasKeys(entry: ShipJson, required: string[], optional: string[], at: string, refuse: Refuse): boolean {
  const unknownKey = Object.keys(entry).find((key) => !required.includes(key) && !optional.includes(key));
  if (unknownKey !== undefined) {
    refuse(
      at,
      `${quote(unknownKey)} is not supported, and a rule cannot be applied in part; the keys are ${[...required, ...optional].join(', ')}`,
    );
    return false;
  }
  for (const key of required)
    if (typeof entry[key] !== 'string') {
      refuse(`${at}.${key}`, 'the value must be a string, in quotes');
      return false;
    }
  return true;
}

function isObject(value: unknown): value is ShipJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
