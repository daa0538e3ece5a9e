import { changePlan } from '@berth/core';
import { expect, it } from 'vitest';
import { startBerth } from '../../src/server.ts';
import { testEnvironment } from '../test-server.ts';
import { useServer } from '../use-server.ts';

const server = useServer();

it('contract §6: a server lets downgrades take effect whose time came while none ran', async () => {
  const { account, key } = await server().account('pro');
  await changePlan(server().berth.core, account, 'free');
  await server().database.query(`update plan_change set due = now() - interval '1 second'`);
  const another = await startBerth(testEnvironment(server().database, server().dataDir), server().berth.core.log);
  try {
    await expect.poll(async () => (await server().api('/account', { key })).json()['plan']).toBe('free');
  } finally {
    await another.close();
  }
  expect(server().logged).toContainEqual(
    expect.objectContaining({ message: 'Downgrades took effect', fields: { applied: 1 } }),
  );
});
