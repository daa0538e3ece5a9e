/** Draws line numbers from 1 to `count`. The r-th line is drawn in proportion to 1/r (Zipf, s = 1). */
export function zipfDraws(count: number, draws: number): number[] {
  const cumulative = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank += 1) cumulative[rank] = sum += 1 / (rank + 1);
  return Array.from({ length: draws }, () => 1 + firstAbove(cumulative, Math.random() * sum));
}

/** Draws line numbers that are all equally likely. */
export function uniformDraws(count: number, draws: number): number[] {
  return Array.from({ length: draws }, () => 1 + Math.floor(Math.random() * count));
}

function firstAbove(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
