/** How the processes of one server share the connections of PostgreSQL. */
export interface ConnectionShare {
  /** Maximum number of connections for statements in each process. */
  each: number;
  /** `max_connections` of the embedded PostgreSQL, with a reserve for operators. */
  most: number;
}

const TOTAL = 60;
const MAX_EACH = 16;
const MIN_EACH = 4;
/** Each process has separate connections to listen for notifications of activities and sites. */
const LISTENING = 2;
const DEFAULT_MAX = 100;
const OPERATORS = 20;

/** @param workers Number of processes that serve requests. With several of them, there is one more process that does not. */
export function shareConnections(workers: number): ConnectionShare {
  const processes = workers === 1 ? 1 : workers + 1;
  const each = Math.min(MAX_EACH, Math.max(MIN_EACH, Math.floor(TOTAL / processes)));
  return { each, most: Math.max(DEFAULT_MAX, processes * (each + LISTENING) + OPERATORS) };
}
