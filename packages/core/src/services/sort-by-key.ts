import { endianness } from 'node:os';

/** Whether this machine stores the low bytes of a number first. */
export const IS_LITTLE_ENDIAN = endianness() === 'LE';
/** Where the halves of a number of 64 bits are in memory. */
const [HIGH, LOW] = IS_LITTLE_ENDIAN ? [1, 0] : [0, 1];

/**
 * Sorts keys in n log n steps, whatever they are.
 *
 * @param keys The high and the low half of each key.
 * @returns The positions of the keys, in ascending order of the keys. Equal keys keep their order.
 */
export function sortByKey(keys: Uint32Array): Uint32Array<ArrayBuffer> {
  const count = keys.length / 2;
  // V8 sorts numbers without a comparison function, which takes a quarter of the time: the high half of each key, then its position.
  const halves = new Uint32Array(count * 2);
  for (let position = 0; position < count; position += 1) {
    halves[position * 2 + HIGH] = keys[position * 2]!;
    halves[position * 2 + LOW] = position;
  }
  new BigUint64Array(halves.buffer).sort();
  const positions = new Uint32Array(count);
  for (let rank = 0; rank < count; rank += 1) positions[rank] = halves[rank * 2 + LOW]!;
  sortEqualHighHalves(positions, keys);
  return positions;
}

function sortEqualHighHalves(positions: Uint32Array, keys: Uint32Array): void {
  for (let from = 0, to = 0; from < positions.length; from = to) {
    const high = keys[positions[from]! * 2];
    do to += 1;
    while (to < positions.length && keys[positions[to]! * 2] === high);
    if (to - from > 1) positions.subarray(from, to).sort((a, b) => keys[a * 2 + 1]! - keys[b * 2 + 1]!);
  }
}
