import type { Disturbance } from './disturbances/disturbance.ts';
import { FLOODS } from './disturbances/floods.ts';
import { killAtStep, KILLS } from './disturbances/kills.ts';
import { NETWORKS } from './disturbances/networks.ts';
import { NODES } from './disturbances/nodes.ts';
import { STOPS } from './disturbances/stops.ts';
import { STORES } from './disturbances/stores.ts';
import { SURROUNDINGS } from './disturbances/surroundings.ts';

/** All kinds of disturbances. */
export const DISTURBANCES: readonly Disturbance[] = [
  ...KILLS,
  ...STOPS,
  ...SURROUNDINGS,
  ...FLOODS,
  ...NODES,
  ...NETWORKS,
  ...STORES,
];

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

/**
 * Selects kinds by name, each as often as the others. `kill-at-step:STEP` kills at one step only.
 *
 * @throws Error if a name is not a kind.
 */
export function selectKinds(only: readonly string[]): readonly Disturbance[] {
  if (only.length === 0) return DISTURBANCES;
  return only.map((name) => {
    const [kind, step] = name.split(':');
    if (kind === 'kill-at-step' && step !== undefined) return killAtStep([step]);
    const found = DISTURBANCES.find((one) => one.kind === name);
    if (!found) throw new Error(`"${name}" is not a kind of disturbance; --list lists them.`);
    return { ...found, weight: 1 };
  });
}
