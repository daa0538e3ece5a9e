import { setTimeout as sleep } from 'node:timers/promises';
import type { Node } from '../world/node.ts';
import type { World } from '../world/world.ts';
import type { Disturbance } from './disturbance.ts';

const RECOVERY_SECONDS = 30;
const MAX_SILENCE_MS = 7_500;

const needsProxy = ({ nodes }: Pick<World, 'nodes'>) =>
  nodes[0]!.databaseProxy ? null : 'the run has no proxy in front of the database';
const proxyOf = ({ databaseProxy }: Node) => databaseProxy!;
const ON_DATABASE_NETWORK = { recoverySeconds: RECOVERY_SECONDS, impossible: needsProxy };

/** Resets and stalls connections between one node and the database. */
const cutDatabaseConnections: Disturbance = {
  kind: 'cut-database-network',
  weight: 2,
  ...ON_DATABASE_NETWORK,
  async run({ random }, node) {
    const cut = proxyOf(node).cutAll();
    proxyOf(node).disturb({ resets: 0.3, stalls: 0.1, random });
    await sleep(2_000 + random() * 3_000);
    proxyOf(node).disturb(null);
    return { detail: `${cut} at once`, since: performance.now() };
  },
};

/** Loses everything between one node and the database. No connection ends, and new ones get no answer. */
const silenceDatabase: Disturbance = {
  kind: 'silence-database-network',
  weight: 2,
  ...ON_DATABASE_NETWORK,
  async run({ random }, node) {
    const ms = 500 + Math.floor(random() * MAX_SILENCE_MS);
    proxyOf(node).silence(true);
    await sleep(ms);
    proxyOf(node).silence(false);
    return { detail: `for ${ms} ms`, since: performance.now() };
  },
};

/** Loses answers to COMMIT, so that a node does not know whether its transaction has taken effect. It has. */
const loseCommitAnswers: Disturbance = {
  kind: 'lose-commit-answers',
  weight: 1,
  ...ON_DATABASE_NETWORK,
  async run({ random }, node) {
    proxyOf(node).loseAnswers({ to: 'commit\0', share: 0.2, random });
    await sleep(2_000 + random() * 3_000);
    proxyOf(node).loseAnswers(null);
    return { detail: '', since: performance.now() };
  },
};

export const NETWORKS = [cutDatabaseConnections, silenceDatabase, loseCommitAnswers];
