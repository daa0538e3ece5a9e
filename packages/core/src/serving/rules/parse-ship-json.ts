import { Fault } from './fault.ts';

/** The size a `ship.json` may have, in bytes. Source: serving S65. */
export const MAX_SHIP_JSON_BYTES = 256 * 1024;

const MAX_DEPTH = 8;

/** A `ship.json` as JSON: an object of whatever. */
export type ShipJson = Readonly<Record<string, unknown>>;

/**
 * Parses a `ship.json`.
 *
 * @returns A fault, for which the whole deploy is refused, when it is not one JSON object in UTF-8 or nested deeper than 8.
 * Source: contract §3; serving S23, S65.
 */
export function parseShipJson(bytes: Uint8Array): ShipJson | Fault {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    return new Fault(
      `it is one JSON object in UTF-8 (${error instanceof SyntaxError ? error.message : 'it is not UTF-8'})`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Fault('it is one JSON object, such as {"cleanUrls": true}');
  if (depthOf(value) > MAX_DEPTH) return new Fault(`it is nested at most ${MAX_DEPTH} deep`);
  return value as ShipJson;
}

function depthOf(value: object): number {
  let depth = 0;
  for (let level: unknown[] = [value]; level.length > 0; depth += 1)
    level = level.flatMap((item) =>
      Object.values(item as object).filter((inner) => typeof inner === 'object' && inner !== null),
    );
  return depth;
}
