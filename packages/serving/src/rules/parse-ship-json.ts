import { Fault } from './fault.ts';

/** Maximum size of a `ship.json` in bytes. Source: serving S65. */
export const MAX_SHIP_JSON_BYTES = 256 * 1024;

const MAX_DEPTH = 8;

/** A parsed `ship.json`: a JSON object with unchecked contents. */
export type ShipJson = Readonly<Record<string, unknown>>;

/**
 * Parses a `ship.json`.
 *
 * @returns A fault if it is not a JSON object in UTF-8, or is nested deeper than 8. The whole deploy is then rejected.
 * Source: api §3; serving S23, S65.
 */
export function parseShipJson(bytes: Uint8Array): ShipJson | Fault {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    return new Fault(
      `it must be a JSON object in UTF-8 (${error instanceof SyntaxError ? error.message : 'it is not UTF-8'})`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Fault('it must be a JSON object, such as {"cleanUrls": true}');
  if (depthOf(value) > MAX_DEPTH) return new Fault(`it must be nested at most ${MAX_DEPTH} deep`);
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
