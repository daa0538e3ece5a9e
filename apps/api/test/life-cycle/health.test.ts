import { useServer } from '@berth/testing/use-server';
import pg from 'pg';
import { describe, expect, it } from 'vitest';

describe('/healthz', () => {
  const server = useServer();

  it('answers 200 while the service is ready, without a credential', async () => {
    const answer = await server().api('/healthz', { key: null });
    expect({ status: answer.status, body: answer.json(), cache: answer.headers['cache-control'] }).toEqual({
      status: 200,
      body: { status: 'ok' },
      cache: 'no-store',
    });
  });

  it('api §2: answers 503 with the error body while the database accepts no sessions, and 200 when it does again', async () => {
    const { address } = server().database;
    const operator = new pg.Client({ host: address.socketDir, port: 5432, user: address.user, database: 'postgres' });
    await operator.connect();
    await operator.query(`alter database ${address.database} allow_connections false`);
    await operator.query('select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = $1', [
      address.database,
    ]);
    const unavailable = await server().api('/healthz', { key: null });
    expect(unavailable.status).toBe(503);
    expect(unavailable.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(unavailable.json()).toMatchObject({ error: 'unavailable', status: 503 });

    await operator.query(`alter database ${address.database} allow_connections true`);
    await operator.end();
    expect((await server().api('/healthz', { key: null })).status).toBe(200);
  });
});
