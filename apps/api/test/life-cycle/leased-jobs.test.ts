import { randomUUID } from 'node:crypto';
import { testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { expect, it } from 'vitest';
import { startBerth } from '../../src/server.ts';

const server = useServer();

const start = () => startBerth(testEnvironment(server().database, server().dataDir), server().berth.core.log);
const holder = async () =>
  (
    await server().database.query<{ holder: string }>(`select holder from lease where name = 'jobs' and until > now()`)
  )[0]?.holder;

it('storage §11: of two servers one runs the jobs, and the other one takes over when it stops', async () => {
  const first = await start();
  await expect.poll(holder).toBe(first.core.boot);
  const second = await start();
  await server().database.query(
    `insert into rate_bucket (key, "full", taken) values ('old', now() - interval '1 hour', true)`,
  );
  expect(await holder()).toBe(first.core.boot);
  await first.close();
  expect(await holder()).not.toBe(first.core.boot);
  await expect.poll(holder).toBe(second.core.boot);
  await expect.poll(() => server().database.query(`select from rate_bucket where key = 'old'`)).toEqual([]);
  await second.close();
});

it('scale B7: a server without the lease drops the packs that it has left open', async () => {
  const first = await start();
  await expect.poll(holder).toBe(first.core.boot);
  const [pack, boot] = [randomUUID(), 'left-open'];
  await server().database.query('insert into boot values ($1, now(), now())', [boot]);
  await server().database.query(`insert into pack (id, state, boot_id, created) values ($1, 'open', $2, now())`, [
    pack,
    boot,
  ]);
  const second = await startBerth(
    testEnvironment(server().database, server().dataDir, { JOBS: 'off' }),
    server().berth.core.log,
    { parts: () => ({ boot }) },
  );
  await expect.poll(() => server().database.query('select from pack where id = $1', [pack])).toEqual([]);
  await second.close();
  await first.close();
});
