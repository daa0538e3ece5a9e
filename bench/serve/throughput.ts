import { median } from '../processes.ts';
import { check, type Checked, type Row } from './rows.ts';
import { wrk } from './wrk.ts';

/** A measured server, with its name in the table. */
export interface Contender {
  name: string;
  port: number;
  /** The only row in which it is measured; absent for all. */
  only?: string;
}

/** The measurement of a row: the requests a second of each round by contender, or why there are none. */
export type Measured = ReadonlyMap<string, readonly number[] | string>;

export interface Rounds {
  seconds: number;
  rounds: number;
}

/** Each round starts at a different site. All servers get the sites in the same order. */
const OFFSET_STEP = 137_911;

/**
 * Measures one row: checks every contender, warms it up, then measures all of them in alternation.
 *
 * @param note Called with what a reader of the table should know.
 */
export async function measureRow(
  row: Row,
  contenders: readonly Contender[],
  host: string,
  { seconds, rounds }: Rounds,
  note: (text: string) => void,
): Promise<Measured> {
  const measured = new Map<string, number[] | string>();
  const able: (Contender & Checked)[] = [];
  for (const contender of contenders.filter(({ only }) => only === undefined || only === row.name))
    try {
      able.push({ ...contender, ...(await check(row, contender.port, host)) });
      measured.set(contender.name, []);
    } catch (error) {
      measured.set(contender.name, `wrong: ${(error as Error).message}`);
    }
  if (row.informative) note(`${row.name}: ${able.map(({ name, encoding }) => `${name} ${encoding}`).join(', ')}.`);
  for (let round = 0; round <= rounds; round += 1)
    for (const { name, port, load } of able) {
      const { requests, perSecond, refused, lost } = await wrk(
        port,
        round === 0 ? (row.warmUpSeconds ?? 1) : seconds,
        load(round * OFFSET_STEP),
      );
      const faults = lost + (row.status < 400 ? refused : requests - refused);
      if (faults > 0)
        note(`${row.name}: ${faults} of ${requests} requests to ${name} were not answered as they should be.`);
      if (round > 0) (measured.get(name) as number[]).push(perSecond);
    }
  return measured;
}

/** The rate of Berth divided by that of another server in each round; `null` when one of them was not measured. */
export function ratio(measured: Measured, berth: string, other: string): number | null {
  const [ours, theirs] = [measured.get(berth), measured.get(other)];
  if (!Array.isArray(ours) || !Array.isArray(theirs)) return null;
  return median(ours.map((rate, i) => rate / theirs[i]));
}

/** The fastest of some contenders in a row. */
export function fastest(measured: Measured, names: readonly string[]): string {
  return names.toSorted((a, b) => rateOf(measured, b) - rateOf(measured, a))[0]!;
}

/** The median rate of a contender; 0 when it was not measured. */
export function rateOf(measured: Measured, name: string): number {
  const rates = measured.get(name);
  return Array.isArray(rates) ? median(rates) : 0;
}
