import { changePlan } from '@berth/core/operator';
import { testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { expect, it } from 'vitest';
import { startBerth } from '../../src/server.ts';

const server = useServer();

it('api §6: a server applies downgrades that became due while no server was running', async () => {
  const { account, key } = await server().account('pro');
  await changePlan(server().berth.core, account, 'free');
  await server().database.query(`update plan_change set due = now() - interval '1 second'`);
  const secondServer = await startBerth(testEnvironment(server().database, server().dataDir), server().berth.core.log);
  try {
    await expect.poll(async () => (await server().api('/account', { key })).json()['plan']).toBe('free');
  } finally {
    await secondServer.close();
  }
  expect(server().logged).toContainEqual(
    expect.objectContaining({
      message: 'Downgrades took effect',
      fields: { job: 'apply plan changes', applied: 1, durationMs: expect.any(Number) },
    }),
  );
});

it.each([
  ['sweep', 'idempotency_record', { task: 'delete old idempotency records' }],
  ['apply plan changes', 'plan_change', {}],
  ['check domains', 'domain', {}],
  ['delete full rate limit buckets', 'rate_bucket', {}],
])('api §8: the log names a failed job: %s', async (job, table, step) => {
  const { database, dataDir, berth, logged } = server();
  const logLength = logged.length;
  await database.query(`alter table ${table} rename to away`);
  const secondServer = await startBerth(testEnvironment(database, dataDir), berth.core.log);
  try {
    const jobLines = () => logged.slice(logLength).filter(({ fields }) => fields['job'] === job);
    const failure = { level: 'warn', message: 'A job failed and will be retried' };
    await expect.poll(jobLines).toContainEqual(expect.objectContaining(failure));
    expect(jobLines()).toContainEqual(
      expect.objectContaining({ ...failure, fields: expect.objectContaining({ durationMs: expect.any(Number) }) }),
    );
    expect(jobLines()).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ err: expect.anything(), ...step }) }),
    );
  } finally {
    await secondServer.close();
    await database.query(`alter table away rename to ${table}`);
  }
});
