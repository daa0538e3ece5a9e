import pg from 'pg';

/** The states of server processes by pid, as in `pg_stat_activity`: `active`, `idle`, `idle in transaction`; or `gone`. */
export type SessionStates = ReadonlyMap<number, string>;

const STATES = 'select pid, state from pg_stat_activity where pid = any($1)';
/** The error of a server that is starting or stopping. Any other one shows that it answers. */
const NOT_UP = '57P03';

/**
 * Checks over a separate connection whether the database answers, and reads the states of server processes.
 *
 * @param patience Aborted when the answer takes too long.
 * @returns `null` if the database answers but accepts no new sessions.
 * @throws if it does not answer.
 */
export async function probeDatabase(
  config: pg.ClientConfig,
  serverProcesses: readonly number[],
  patience: AbortSignal,
): Promise<SessionStates | null> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 0 });
  client.on('error', () => {});
  const giveUp = () => client.connection.stream.destroy(new Error('the database does not answer'));
  patience.addEventListener('abort', giveUp, { once: true });
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number; state: string | null }>(STATES, [serverProcesses]);
    const states = new Map(serverProcesses.map((pid) => [pid, 'gone']));
    for (const { pid, state } of rows) states.set(pid, state ?? 'unknown');
    return states;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code !== NOT_UP) return null;
    throw error;
  } finally {
    patience.removeEventListener('abort', giveUp);
    void client.end().catch(() => {});
    if (patience.aborted) client.connection.stream.destroy();
  }
}
