import { median } from '../processes.ts';
import { check, type Checked, type Row } from './rows.ts';
import { wrk } from './wrk.ts';

/** A measured server, with its name in the table. */
export interface Contender {
  name: string;
  port: number;
  /** The only row in which the server is measured. Absent for all rows. */
  only?: string;
}

/** The measurement of a row: the rates of each contender, or the reason why there are none. */
export type Measured = ReadonlyMap<string, readonly number[] | string>;

export interface Rounds {
  seconds: number;
  rounds: number;
}

/** Each round starts at a different site. All servers get the sites in the same order. */
const OFFSET_STEP = 137_911;

/**
 * Measures one row: checks every contender, warms it up, and measures all of them in alternation. Each round begins with
 * another contender, because the first one of a round has an advantage.
 *
 * @param note Called with facts that a reader of the table should know.
 */
export async function measureRow(
  row: Row,
  contenders: readonly Contender[],
  host: string,
  { seconds, rounds }: Rounds,
  note: (text: string) => void,
): Promise<Measured> {
  const measured = new Map<string, number[] | string>();
  const checkedContenders: (Contender & Checked)[] = [];
  for (const contender of contenders.filter(({ only }) => only === undefined || only === row.name))
    try {
      checkedContenders.push({ ...contender, ...(await check(row, contender.port, host)) });
      measured.set(contender.name, []);
    } catch (error) {
      measured.set(contender.name, `wrong: ${(error as Error).message}`);
    }
  if (row.informative)
    note(`${row.name}: ${checkedContenders.map(({ name, encoding }) => `${name} ${encoding}`).join(', ')}.`);
  for (let round = 0; round <= rounds; round += 1)
    for (const { name, port, load } of rotate(checkedContenders, round)) {
      const { requests, perSecond, refused, lost } = await wrk(
        port,
        round === 0 ? (row.warmUpSeconds ?? 1) : seconds,
        load(round * OFFSET_STEP),
      );
      const faults = lost + (row.status < 400 ? refused : requests - refused);
      if (faults > 0) note(`${row.name}: ${faults} of ${requests} requests to ${name} were answered incorrectly.`);
      if (round > 0) (measured.get(name) as number[]).push(perSecond);
    }
  return measured;
}

function rotate<T>(items: readonly T[], steps: number): T[] {
  const start = items.length === 0 ? 0 : steps % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Returns the rate of Berth divided by that of another server, or `null` if one of them was not measured. */
export function ratioOf(measured: Measured, berth: string, other: string): number | null {
  const [ours, theirs] = [measured.get(berth), measured.get(other)];
  if (!Array.isArray(ours) || !Array.isArray(theirs)) return null;
  return median(ours.map((rate, i) => rate / theirs[i]));
}

/** Returns the fastest of some contenders in a row. */
export function fastestServer(measured: Measured, names: readonly string[]): string {
  return names.toSorted((a, b) => rateOf(measured, b) - rateOf(measured, a))[0]!;
}

/** Returns the median rate of a contender; 0 if it was not measured. */
export function rateOf(measured: Measured, name: string): number {
  const rates = measured.get(name);
  return Array.isArray(rates) ? median(rates) : 0;
}
