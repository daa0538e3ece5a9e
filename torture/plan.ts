import type { Disturbance } from './disturbances/disturbance.ts';
import { FLOODS } from './disturbances/floods.ts';
import { KILLS } from './disturbances/kills.ts';
import { STOPS } from './disturbances/stops.ts';
import { SURROUNDINGS } from './disturbances/surroundings.ts';

/** All kinds of disturbances. */
export const DISTURBANCES: readonly Disturbance[] = [...KILLS, ...STOPS, ...SURROUNDINGS, ...FLOODS];

/**
 * Yields disturbances without end: shuffled decks, each of which has every kind as often as its weight says. The same
 * random numbers give the same order.
 */
export function* planDisturbances(kinds: readonly Disturbance[], random: () => number): Generator<Disturbance> {
  for (;;) {
    const deck = kinds.flatMap((one) => Array<Disturbance>(one.weight).fill(one));
    for (let left = deck.length; left > 0; left -= 1) {
      const chosen = Math.floor(random() * left);
      yield deck[chosen]!;
      deck[chosen] = deck[left - 1]!;
    }
  }
}

/** Selects kinds by name. @throws Error if a name is not a kind. */
export function selectKinds(only: readonly string[]): readonly Disturbance[] {
  const names = DISTURBANCES.map(({ kind }) => kind);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not a kind of disturbance; use ${names.join(', ')}.`);
  return only.length === 0 ? DISTURBANCES : DISTURBANCES.filter(({ kind }) => only.includes(kind));
}
