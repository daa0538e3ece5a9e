import type { DatabaseAddress } from '@berth/core';
import pg from 'pg';

/** Reads the database directly, not through the service. */
export interface Records {
  /** Runs one statement on a new connection. */
  query<T extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<T[]>;
  /** The number of statements and transactions of the service that are running. */
  busy(): Promise<number>;
}

export function createRecords(database: DatabaseAddress): Records {
  const address =
    'url' in database
      ? { connectionString: database.url }
      : { host: database.socketDir, port: 5432, user: database.user, database: database.database, password: '' };
  const query: Records['query'] = async (text, values) => {
    const client = new pg.Client({ ...address, connectionTimeoutMillis: 10_000, query_timeout: 60_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text, values)).rows as never;
    } finally {
      await client.end().catch(() => {});
    }
  };
  return {
    query,
    async busy() {
      const [row] = await query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()`,
      );
      return row!.count;
    },
  };
}
