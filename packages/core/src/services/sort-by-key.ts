/**
 * Sorts keys in n log n steps, whatever they are.
 *
 * @param keys The high and the low half of each key.
 * @returns The positions of the keys, in ascending order of the keys.
 */
export function sortByKey(keys: Uint32Array): Uint32Array<ArrayBuffer> {
  const positions = Uint32Array.from({ length: keys.length / 2 }, (_, position) => position);
  return positions.toSorted((a, b) => keys[a * 2]! - keys[b * 2]! || keys[a * 2 + 1]! - keys[b * 2 + 1]!);
}
