import { appRouter } from '@berth/core';
import { closeClean } from '@berth/testing/expectations';
import type { HttpResponse, RequestOptions } from '@berth/testing/requests';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Operation, operationsOf } from '../../src/api-host/operations.ts';
import { BODY_METHODS, FIELD_VALUES, fieldNames, type Input, inputOf, validInput } from './inputs.ts';
import { anonymise, resolveIds, startTwins, type TwinServer } from './twins.ts';

/** The number of random inputs for each procedure. */
const RUNS = Number(process.env['RUNS'] ?? 10);

let twinServers: readonly [TwinServer, TwinServer];
beforeAll(async () => void (twinServers = await startTwins()));
afterAll(async () => {
  for (const { server } of twinServers) await closeClean(server);
});

/**
 * All operations but the deletion of the account, whose success would end the credential of all later inputs. Those that use up
 * resources come last.
 */
const OPERATIONS = operationsOf(appRouter)
  .filter(({ name }) => name !== 'account.delete')
  .toSorted((a, b) => rankOf(a) - rankOf(b));
function rankOf({ name, type }: Operation): number {
  return name.endsWith('.delete') ? 2 : type === 'mutation' ? 1 : 0;
}

/** Fills in the placeholders of a text. `$SITE` is the value of `$site` in capitals. */
function fillIn(value: string, twin: TwinServer): string {
  return resolveIds(
    value.replace(/\$[A-Z]+/g, (name) => resolveIds(name.toLowerCase(), twin).toUpperCase()),
    twin,
  );
}

function jsonText(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;
}

function sendRest({ openapi }: Operation, { actor, path, fields, instead }: Input, twin: TwinServer) {
  const { method } = openapi;
  const target = openapi.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(fillIn(path[name]!, twin)));
  if (!BODY_METHODS.has(method)) {
    const query = new URLSearchParams(
      fields.map(([name, value]): [string, string] => [name, fillIn(String(value), twin)]),
    );
    return twin.request(fields.length > 0 ? `${target}?${query}` : target, actor, { method });
  }
  const body = instead === undefined ? jsonText(fields) : JSON.stringify(instead);
  return twin.request(target, actor, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: fillIn(body, twin),
  });
}

function sendTrpc({ name, type }: Operation, { actor, path, fields, instead }: Input, twin: TwinServer) {
  const input = fillIn(
    instead === undefined ? jsonText([...fields, ...Object.entries(path)]) : JSON.stringify(instead),
    twin,
  );
  const options: RequestOptions =
    type === 'query' ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: input };
  return twin.request(`/trpc/${name}${type === 'query' ? `?input=${encodeURIComponent(input)}` : ''}`, actor, options);
}

/** The outcome of a call, without random ids and independent of REST and tRPC. */
interface Outcome {
  /** The status of an error. Success has no number, because REST and tRPC use different ones. */
  status: number | 'success';
  error?: unknown;
  details?: unknown;
  message?: unknown;
  body?: unknown;
}

function errorOutcome({ error, details, message }: Record<string, unknown>, status: number): Outcome {
  return { status, error, details, message };
}

function readRest(response: HttpResponse, { status, creates }: Operation, twin: TwinServer): Outcome {
  const body = JSON.parse(anonymise(response.text, twin)) as Record<string, unknown>;
  if ('error' in body) return errorOutcome(body, response.status);
  expect(creates ? [status, 201] : [status]).toContain(response.status);
  return { status: 'success', body };
}

function readTrpc(response: HttpResponse, twin: TwinServer): Outcome {
  const body = JSON.parse(anonymise(response.text, twin)) as {
    error?: { data: Record<string, unknown> };
    result?: { data: unknown };
  };
  if (body.error) return errorOutcome(body.error.data, response.status);
  expect(response.status).toBe(200);
  return { status: 'success', body: body.result!.data };
}

/** Reduces an outcome to what REST and tRPC have in common: they check permission and nesting in different order. */
function comparable(outcome: Outcome, rest: Outcome, { actor, instead }: Input): Outcome {
  const relevant = actor !== 'api' && outcome.message === TOO_DEEP_MESSAGE ? rest : outcome;
  return instead === undefined ? relevant : { status: relevant.status, error: relevant.error };
}
const TOO_DEEP_MESSAGE = 'The body must be nested at most 8 levels deep.';

describe(`api §9: REST and tRPC`, () => {
  it('are tested with values for every field of every input', () => {
    expect([...new Set(OPERATIONS.flatMap(fieldNames))].toSorted()).toEqual(Object.keys(FIELD_VALUES).toSorted());
  });

  it.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
    'accept and refuse the same random inputs of %s',
    async (_, operation) => {
      const [rest, trpc] = twinServers;
      const collection = operation.openapi.path.split('/')[1]!;
      const seenStatuses = new Set<string>();
      const usesResources = operation.type === 'mutation';
      const replenishTwins = async () => {
        for (const twinServer of twinServers)
          await twinServer.replenish(
            ['domains', 'tokens', 'activities', 'sites'].includes(collection) ? collection : 'deployments',
          );
      };
      await replenishTwins();
      let run = 0;
      await fc.assert(
        fc.asyncProperty(inputOf(operation), async (input) => {
          run += 1;
          if (usesResources && run % 5 === 0) await replenishTwins();
          for (const twinServer of twinServers) twinServer.tick();
          const [restResponse, trpcResponse] = await Promise.all([
            sendRest(operation, input, rest),
            sendTrpc(operation, input, trpc),
          ]);
          const outcome = readRest(restResponse, operation, rest);
          expect(outcome.status).not.toBe(500);
          expect(comparable(readTrpc(trpcResponse, trpc), outcome, input)).toEqual(comparable(outcome, outcome, input));
          seenStatuses.add(String(outcome.status));
        }),
        { numRuns: RUNS, examples: [[validInput(operation)]] },
      );
      expect([...seenStatuses]).toContain('success');
    },
  );

  it('have the same effects after all random inputs', async () => {
    for (const list of ['deployments', 'domains', 'tokens', 'activities', 'labels', 'account']) {
      const [rest, trpc] = await Promise.all(twinServers.map((twin) => readAll(list, twin)));
      expect(rest!.length).toBeGreaterThan(0);
      expect(rest).toEqual(trpc);
    }
  });
});

/** Reads all pages of a list, without deployments that a sweep may remove at any time. */
async function readAll(list: string, twin: TwinServer): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let path: string | null = `/${list}?limit=100`; path !== null;) {
    const response = await twin.request(path, 'api');
    const { nextCursor } = response.json<{ nextCursor?: string }>();
    const page = JSON.parse(anonymise(response.text, twin)) as Record<string, { status?: string }[]>;
    const listedItems = page[list];
    rows.push(...(Array.isArray(listedItems) ? listedItems.filter(({ status }) => status !== 'deleting') : [page]));
    path = nextCursor === undefined ? null : `/${list}?limit=100&cursor=${nextCursor}`;
  }
  return rows;
}
