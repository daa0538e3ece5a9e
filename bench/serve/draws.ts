/** Line numbers from 1 to `count`: the r-th most popular is drawn in proportion to 1/r (Zipf, s = 1). */
export function zipfDraws(count: number, draws: number): number[] {
  const below = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank += 1) below[rank] = sum += 1 / (rank + 1);
  return Array.from({ length: draws }, () => 1 + firstAbove(below, Math.random() * sum));
}

/** Line numbers, all equally likely. */
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
