import { ANONYMOUS, createTestBrowser, createTestCore, deploySite, signInByLink } from '@berth/testing/core';
import type { TRPCError } from '@trpc/server';
import { afterAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/core.ts';
import { ServiceError } from '../../src/errors.ts';
import { OPERATION_ACCESS, type Actor, mayCall, type Operation } from '../../src/routers/access.ts';
import { appRouter, createCaller } from '../../src/routers/app-router.ts';
import { createCallerFactory, procedure, router } from '../../src/routers/trpc.ts';

const ACTORS: readonly Actor[] = ['anonymous', 'deploy', 'session', 'api'];
/** The operations without a procedure, because their bodies are not JSON. */
const ROUTES: readonly string[] = ['deployments.create', 'deployments.contents', 'deployments.archive'];

const test = await createTestCore();
const { caller } = await test.account('team');
const [{ email }] = (await test.database.query<{ email: string }>('select email from account')) as [{ email: string }];
const callers: Record<Actor, Caller> = {
  anonymous: ANONYMOUS,
  api: caller,
  deploy: { ...caller, credential: 'deploy', authMethod: 'deploy-token' },
  session: (await signInByLink(test.core, email)).caller,
};
afterAll(() => test.close());

const browser = createTestBrowser();
const contextOf = (actor: Actor) => ({ core: test.core, caller: callers[actor], browser, requestId: 'request-1' });

/** Calls an operation with an invalid input. @returns The HTTP status of the error, or 200. */
async function statusOf(operation: string, actor: Actor): Promise<number> {
  const [noun, verb] = operation.split('.') as [string, string];
  type Nouns = Record<string, Record<string, (input: unknown) => Promise<unknown>>>;
  const nouns = createCaller(contextOf(actor)) as unknown as Nouns;
  return nouns[noun]![verb]!({ deployment: 5, limit: 'many', cursor: {} }).then(
    () => 200,
    (error: TRPCError) => (error.cause as { status: number } & Error).status,
  );
}

describe('T21: the access table', () => {
  it('has a row for every procedure, and no other rows', () => {
    expect([...Object.keys(appRouter._def.procedures), ...ROUTES].toSorted()).toEqual(
      Object.keys(OPERATION_ACCESS).toSorted(),
    );
  });

  it('api §5: allows a deploy token only the operations of deploys, and to read the domains that it is limited to', () => {
    const allowedOperations = (actor: Actor) =>
      Object.keys(OPERATION_ACCESS).filter((operation) => mayCall(operation, actor));
    const deploys = ['abort', 'begin', 'commit', 'contents', 'create'].map((verb) => `deployments.${verb}`);
    expect(allowedOperations('deploy').toSorted()).toEqual([
      ...deploys,
      'domains.get',
      'domains.versions',
      'plans.list',
      'platform.config',
      'platform.limits',
      'platform.ping',
    ]);
    expect(allowedOperations('anonymous').toSorted()).toEqual([
      'account.claimed',
      ...deploys,
      'invites.accept',
      'invites.find',
      'plans.list',
      'platform.config',
      'session.end',
      'session.get',
      ...['beginPasskey', 'code', 'passkey', 'password', 'readLink', 'requestCode', 'useLink'].map(
        (verb) => `signIn.${verb}`,
      ),
    ]);
  });

  it('api §13: allows an API key everything but what proves a person, and a session everything but the form of REST', () => {
    const refused = (actor: Actor) => Object.keys(OPERATION_ACCESS).filter((operation) => !mayCall(operation, actor));
    expect(refused('session')).toEqual(['deployments.create']);
    expect(
      refused('api').filter(
        (operation) =>
          !/^(?:session|sessions|signIn|passkeys|person|devices)\.|^(?:account\.claimed|invites\.(?:find|accept))$/.test(
            operation,
          ),
      ),
    ).toEqual([]);
    expect(refused('api').length).toBeGreaterThan(10);
  });

  const unknownPaths = ['deployments', 'deployments.destroy', 'Deployments.list', '', 'constructor', '__proto__'];
  it.each(unknownPaths)('denies every actor the operation %j, which has no row', (operation) => {
    for (const actor of ACTORS) expect(mayCall(operation, actor)).toBe(false);
  });

  const procedures = Object.keys(OPERATION_ACCESS).filter((operation) => !ROUTES.includes(operation)) as Operation[];
  it.each(procedures.flatMap((operation) => ACTORS.map((actor) => [operation, actor] as const)))(
    'decides whether %s is allowed for %s before the input is validated',
    async (operation, actor) => {
      const status = await statusOf(operation, actor);
      if ((OPERATION_ACCESS[operation] as readonly Actor[]).includes(actor)) expect([200, 400]).toContain(status);
      else expect(status).toBe(actor === 'anonymous' ? 401 : 403);
    },
  );

  it('refuses a procedure without a row, and the procedure never runs', async () => {
    let hasRun = false;
    const forgotten = createCallerFactory(router({ forgotten: procedure.query(() => void (hasRun = true)) }));
    for (const actor of ACTORS)
      await expect(forgotten(contextOf(actor)).forgotten()).rejects.toMatchObject({
        code: actor === 'anonymous' ? 'UNAUTHORIZED' : 'FORBIDDEN',
        cause: { status: actor === 'anonymous' ? 401 : 403 },
      });
    expect(hasRun).toBe(false);
  });
});

describe('api §2: errors of procedures', () => {
  const api = createCaller(contextOf('api'));
  const deploy = async () => (await deploySite(test.core, caller, { a: '1' })).body.deployment;
  const missingDeployment = 'calm-otter-0000000';

  it.each<[string, () => Promise<unknown>, string]>([
    ['a limit of 0', () => api.deployments.list({ limit: 0 }), 'limit'],
    ['a limit of -1', () => api.activities.list({ limit: -1 }), 'limit'],
    ['a fractional limit', () => api.deployments.list({ limit: 1.5 }), 'limit'],
    ['a limit as a text', () => api.deployments.list({ limit: '10' as never }), 'limit'],
    ['an operator for a text', () => api.deployments.get({ deployment: { $ne: null } as never }), 'deployment'],
    ['no reference', () => api.deployments.get({} as never), 'deployment'],
    ['a reference that is too long', () => api.deployments.get({ deployment: 'a'.repeat(301) }), 'deployment'],
    ['no labels', () => api.deployments.update({ deployment: missingDeployment } as never), 'labels'],
    [
      'bad labels',
      () => api.deployments.update({ deployment: missingDeployment, labels: ['good', 'Bad'] }),
      'labels.1',
    ],
    ['a forged cursor', () => api.deployments.list({ cursor: 'forged' }), 'cursor'],
  ])('T23: have status 400 and the path of the input for %s', async (_, call, path) => {
    await expect(call()).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      cause: { code: 'validation_failed', details: { issues: [expect.objectContaining({ path })] } },
    });
  });

  it('T23: do not occur for unknown fields, which are dropped', async () => {
    const deployment = await deploy();
    const fields = { status: 'deleting', account: 'acc-x', ['__proto__']: { password: 'x' } };
    const patchInput = { deployment, labels: ['one', 'one'], ...fields };
    expect(await api.deployments.update(patchInput)).toMatchObject({ status: 'success', labels: ['one'] });
  });

  it('T22: are not_found for a missing resource, with the error of the service as the cause', async () => {
    const error = await api.deployments.get({ deployment: missingDeployment }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'NOT_FOUND', message: 'There is no such deployment.' });
    expect((error as Error).cause).toBeInstanceOf(ServiceError);
  });

  it('F7: do not contain the message of an unexpected exception', async () => {
    const now = () => {
      throw new Error('hunter2');
    };
    const failingCaller = createCaller({ ...contextOf('api'), core: { ...test.core, now } });
    await expect(failingCaller.platform.ping()).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: 'Something went wrong on our side.',
    });
  });

  it('never let the next call in the same context save changes of the failed call', async () => {
    const deployment = await deploy();
    const outcomes = await Promise.allSettled([
      api.deployments.update({ deployment, labels: ['aaa'] }),
      api.deployments.update({ deployment: missingDeployment, labels: ['bbb'] }),
      api.deployments.get({ deployment }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await api.deployments.get({ deployment })).toMatchObject({ labels: ['aaa'] });
  });
});
