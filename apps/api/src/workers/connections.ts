/** How the processes of one server share the connections that PostgreSQL takes. */
export interface ConnectionShare {
  /** What each process opens at most for statements. */
  each: number;
  /** What our own PostgreSQL has to take, with room for operators beside. */
  most: number;
}

const TOGETHER = 60;
const MOST_EACH = 16;
const FEWEST_EACH = 4;
/** A process listens on connections of their own for what is told of activities and sites. */
const LISTENING = 2;
const DEFAULT_MOST = 100;
const OPERATORS = 20;

/** @param workers How many processes serve. One alone does everything; several have one more beside them. */
export function shareConnections(workers: number): ConnectionShare {
  const processes = workers === 1 ? 1 : workers + 1;
  const each = Math.min(MOST_EACH, Math.max(FEWEST_EACH, Math.floor(TOGETHER / processes)));
  return { each, most: Math.max(DEFAULT_MOST, processes * (each + LISTENING) + OPERATORS) };
}
