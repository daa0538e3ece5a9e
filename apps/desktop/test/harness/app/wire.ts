/** What stands for `undefined`, which JSON lacks: an object that no state and no input of the app is like. */
const UNDEFINED = { '\u0000': 'undefined' };

/** Writes what goes over the binding. Keeps `undefined`, as a keyed value too. @throws TypeError for functions and the like. */
export function encode(value: unknown): string {
  return JSON.stringify(marked(value));
}

/** Reads what {@link encode} wrote. */
export function decode(text: string): unknown {
  return unmarked(JSON.parse(text));
}

function marked(value: unknown): unknown {
  if (value === undefined) return UNDEFINED;
  if (typeof value === 'function' || typeof value === 'symbol')
    throw new TypeError(`An object could not be cloned: a ${typeof value}`);
  return mapped(value, marked);
}

function unmarked(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && '\u0000' in value) return undefined;
  return mapped(value, unmarked);
}

function mapped(value: unknown, map: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, map(inner)]));
}
