/** How the processes of one server share the connections of PostgreSQL. */
export interface ConnectionShare {
  /** Maximum number of connections for statements in each process. */
  perProcess: number;
  /** `max_connections` of the embedded PostgreSQL, with a reserve for operators. */
  max: number;
}

const TARGET_TOTAL = 60;
const MAX_PER_PROCESS = 16;
const MIN_PER_PROCESS = 4;
/** Each process has separate connections to listen for notifications of activities and sites. */
const LISTENERS_PER_PROCESS = 2;
const POSTGRES_DEFAULT = 100;
const OPERATOR_RESERVE = 20;

/** @param workers Number of processes that serve requests. With several of them, there is one more process that does not. */
export function shareConnections(workers: number): ConnectionShare {
  const processes = workers === 1 ? 1 : workers + 1;
  const perProcess = Math.min(MAX_PER_PROCESS, Math.max(MIN_PER_PROCESS, Math.floor(TARGET_TOTAL / processes)));
  return {
    perProcess,
    max: Math.max(POSTGRES_DEFAULT, processes * (perProcess + LISTENERS_PER_PROCESS) + OPERATOR_RESERVE),
  };
}
