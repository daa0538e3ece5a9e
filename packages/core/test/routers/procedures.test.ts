import {
  Account,
  Activity,
  ActivityList,
  DeletedDeployment,
  Deployment,
  DeploymentList,
  Limits,
  Ping,
  PlanList,
} from '@berth/contract';
import { ANONYMOUS, createTestCore, deploySite, type TestCore } from '@berth/testing/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../src/core.ts';
import { ServiceError } from '../../src/errors.ts';
import { createCaller } from '../../src/routers/app-router.ts';

let test: TestCore;
let caller: AccountCaller;
let api: ReturnType<typeof createCaller>;
beforeAll(async () => {
  test = await createTestCore();
  ({ caller } = await test.account());
  api = createCaller({ core: test.core, caller, requestId: 'request-1' });
});
afterAll(() => test.close());

const deploy = async () => (await deploySite(test.core, caller, { a: '1' })).body.deployment;

describe('api §1: procedures answer with the fields of the contract', () => {
  it('when they read and list', async () => {
    const deployment = await deploy();
    expect(Deployment.parse(await api.deployments.get({ deployment }))).toMatchObject({ deployment });
    expect(DeploymentList.parse(await api.deployments.list({})).deployments).toHaveLength(1);
    expect(
      ActivityList.parse(await api.activities.list({})).activities.map((entry) => Activity.parse(entry).event),
    ).toContain('deployment.create');
    expect(Account.parse(await api.account.get())).toMatchObject({ account: caller.account });
    expect(Limits.parse(await api.platform.limits()).maxFilesCount).toBe(1_000);
    expect(Ping.parse(await api.platform.ping()).timestamp).toBeCloseTo(Date.now() / 1_000, -1);
    expect(PlanList.parse(await api.plans.list()).plans.map(({ plan }) => plan)).toEqual([
      'free',
      'pro',
      'team',
      'scale',
    ]);
    expect(await createCaller({ core: test.core, caller: ANONYMOUS, requestId: '' }).plans.list()).toEqual(
      await api.plans.list(),
    );
  });

  it('when they change and delete', async () => {
    const deployment = await deploy();
    expect(await api.deployments.update({ deployment, labels: ['one', 'one'] })).toMatchObject({ labels: ['one'] });
    expect(DeletedDeployment.parse(await api.deployments.delete({ deployment }))).toEqual({
      deployment,
      status: 'deleting',
    });
  });
});

describe('api §2: errors of procedures', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ['a limit of 0', () => api.deployments.list({ limit: 0 }), 'limit'],
    ['a limit of -1', () => api.activities.list({ limit: -1 }), 'limit'],
    ['a fractional limit', () => api.deployments.list({ limit: 1.5 }), 'limit'],
    ['a limit as a text', () => api.deployments.list({ limit: '10' as unknown as number }), 'limit'],
    [
      'an operator for a text',
      () => api.deployments.get({ deployment: { $ne: null } as unknown as string }),
      'deployment',
    ],
    ['no reference', () => api.deployments.get({} as { deployment: string }), 'deployment'],
    ['a reference that is too long', () => api.deployments.get({ deployment: 'a'.repeat(301) }), 'deployment'],
    [
      'no labels',
      () => api.deployments.update({ deployment: 'calm-otter-0000000' } as { deployment: string; labels: string[] }),
      'labels',
    ],
    [
      'bad labels',
      () => api.deployments.update({ deployment: 'calm-otter-0000000', labels: ['good', 'Bad'] }),
      'labels.1',
    ],
    ['a forged cursor', () => api.deployments.list({ cursor: 'forged' }), 'cursor'],
  ])('T23: %s is 400, naming its path', async (_, call, path) => {
    await expect(call()).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      cause: { code: 'validation_failed', details: { issues: [expect.objectContaining({ path })] } },
    });
  });

  it('T23: unknown fields are dropped, not passed on', async () => {
    const deployment = await deploy();
    const patch = {
      deployment,
      labels: ['one'],
      status: 'deleting',
      account: 'acc-x',
      ['__proto__']: { password: 'x' },
    };
    expect(await api.deployments.update(patch)).toMatchObject({ status: 'success', labels: ['one'] });
  });

  it('T22: a missing resource is a not_found with the error of the service as its cause', async () => {
    const error = await api.deployments.get({ deployment: 'calm-otter-0000000' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'NOT_FOUND', message: 'There is no such deployment.' });
    expect((error as Error).cause).toBeInstanceOf(ServiceError);
  });

  it('F7: the message of an unexpected exception is not passed on', async () => {
    const broken = createCaller({
      core: {
        ...test.core,
        now: () => {
          throw new Error('hunter2');
        },
      },
      caller,
      requestId: 'request-1',
    });
    await expect(broken.platform.ping()).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: 'Something went wrong on our side.',
    });
  });

  it('calls in one context never share a transaction: the next call does not save what a failed call left', async () => {
    const deployment = await deploy();
    const outcomes = await Promise.allSettled([
      api.deployments.update({ deployment, labels: ['aaa'] }),
      api.deployments.update({ deployment: 'calm-otter-0000000', labels: ['bbb'] }),
      api.deployments.get({ deployment }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await api.deployments.get({ deployment })).toMatchObject({ labels: ['aaa'] });
  });
});
