/** Represents `undefined`, which JSON does not have. No state or input of the app contains an object like this. */
const UNDEFINED = { '\u0000': 'undefined' };

/** Encodes a value for the binding. Keeps `undefined`, also as a property. @throws TypeError for functions and symbols. */
export function encode(value: unknown): string {
  return JSON.stringify(marked(value));
}

/** Decodes the output of {@link encode}. */
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
