import type { Node } from '../world/node.ts';
import type { World } from '../world/world.ts';

/** Why the database cannot be disturbed; `null` if it can. */
export const needsDatabase = ({ databaseProcesses }: World) => (databaseProcesses ? null : 'the database is external');
/** Why no worker can be disturbed without the whole server; `null` if one can. */
export const needsWorkers = ({ settings }: World) => (settings.workers > 1 ? null : 'there is one process only');

/** What one disturbance did. */
export interface Outcome {
  /** What is worth a line of progress. */
  detail: string;
  /** When the service could begin to recover, as of `performance.now()`. */
  since: number;
}

/** One way to disturb one node, or what all nodes share, while clients use them. */
export interface Disturbance {
  kind: string;
  /** How often it is in a deck of the plan. */
  weight: number;
  /** The time in which the service must work again, in seconds. */
  recoverySeconds: number;
  /** Whether it kills the database and leaves the restart to the server, or to the process manager of a shared database. */
  killsDatabase?: boolean;
  /** Why it is impossible here; `null` if it is possible. */
  impossible?(world: World): string | null;
  /** Disturbs, and ends the disturbance. Whatever must recover then recovers without further action. */
  run(world: World, node: Node): Promise<Outcome>;
}
