import { ANONYMOUS, createTestCore, type TestCore } from '@berth/testing/core';
import type { TRPCError } from '@trpc/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/core.ts';
import { OPERATION_ACCESS, type Actor, mayCall, type Operation } from '../../src/routers/access.ts';
import { appRouter, createCaller } from '../../src/routers/app-router.ts';
import { createCallerFactory, procedure, router } from '../../src/routers/trpc.ts';

const ACTORS: readonly Actor[] = ['anonymous', 'deploy', 'api'];
/** The operations that are not procedures, because their bodies are not JSON. */
const ROUTES: readonly string[] = ['deployments.create', 'deployments.contents'];

let test: TestCore;
let callers: Record<Actor, Caller>;
beforeAll(async () => {
  test = await createTestCore();
  const { caller } = await test.account();
  callers = {
    anonymous: ANONYMOUS,
    api: caller,
    deploy: { ...caller, credential: 'deploy', authMethod: 'deploy-token' },
  };
});
afterAll(() => test.close());

const contextOf = (actor: Actor) => ({ core: test.core, caller: callers[actor], requestId: 'request-1' });

/** Calls an operation with an invalid input. @returns The HTTP status of the error; 200 without an error. */
async function statusOf(operation: string, actor: Actor): Promise<number> {
  const [noun, verb] = operation.split('.') as [string, string];
  const nouns = createCaller(contextOf(actor)) as unknown as Record<
    string,
    Record<string, (input: unknown) => Promise<unknown>>
  >;
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

  it('api §5: allows a deploy token what deploys need, and nothing else', () => {
    const open = (actor: Actor) => Object.keys(OPERATION_ACCESS).filter((operation) => mayCall(operation, actor));
    const deploys = ['abort', 'begin', 'commit', 'contents', 'create'].map((verb) => `deployments.${verb}`);
    expect(open('deploy').toSorted()).toEqual([
      ...deploys,
      'plans.list',
      'platform.config',
      'platform.limits',
      'platform.ping',
    ]);
    expect(open('anonymous').toSorted()).toEqual([...deploys, 'plans.list', 'platform.config']);
    expect(open('api')).toEqual(Object.keys(OPERATION_ACCESS));
  });

  it.each([
    'deployments',
    'deployments.destroy',
    'Deployments.list',
    '',
    'constructor',
    'toString',
    '__proto__',
    'hasOwnProperty',
  ])('denies every actor the operation %j, which has no row', (operation) => {
    for (const actor of ACTORS) expect(mayCall(operation, actor)).toBe(false);
  });

  const procedures = Object.keys(OPERATION_ACCESS).filter((operation) => !ROUTES.includes(operation)) as Operation[];
  it.each(procedures.flatMap((operation) => ACTORS.map((actor) => [operation, actor] as const)))(
    'decides on %s for %s before the input is validated',
    async (operation, actor) => {
      const status = await statusOf(operation, actor);
      if ((OPERATION_ACCESS[operation] as readonly Actor[]).includes(actor)) expect([200, 400]).toContain(status);
      else expect(status).toBe(actor === 'anonymous' ? 401 : 403);
    },
  );

  it('denies by default: a procedure without a row is refused and never runs', async () => {
    let ran = false;
    const forgotten = createCallerFactory(
      router({
        forgotten: procedure.query(() => {
          ran = true;
        }),
      }),
    );
    for (const actor of ACTORS)
      await expect(forgotten(contextOf(actor)).forgotten()).rejects.toMatchObject({
        code: actor === 'anonymous' ? 'UNAUTHORIZED' : 'FORBIDDEN',
        cause: { status: actor === 'anonymous' ? 401 : 403 },
      });
    expect(ran).toBe(false);
  });
});
