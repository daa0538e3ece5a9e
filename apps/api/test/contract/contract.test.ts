import { closeClean } from '@berth/testing/expectations';
import { type Document, examplesOf, type OpenApi, openApi, type PlacedOperation } from '@berth/testing/open-api';
import type { Answer, Ask } from '@berth/testing/requests';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchesTemplate } from '../../src/api-host/operations.ts';
import { renderOpenApi } from '../../src/api-host/openapi-file.ts';
import type { Case, Input } from './case.ts';
import { bodyOf, CASES } from './cases.ts';
import { faultsOf } from './faults.ts';
import { createWorld, withFault, type World } from './world.ts';

const written = openApi(JSON.parse(renderOpenApi()) as Document);
/** Statuses that this test does not cover. Timeouts of bodies are tested in `http/request-body.test.ts`. */
const NOT_WALKED = new Set(['408', 'default']);

let world: World;
let served: OpenApi;
beforeAll(async () => {
  world = await createWorld();
  served = openApi((await world.server.api('/openapi.json', { key: null })).json<Document>() as Document);
});
afterAll(() => closeClean(world.server, { secrets: ['open sesame'], faults: true }));

it('every operation has a case, and every case has an operation', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(written.operations.map(({ operationId }) => operationId).toSorted());
});

describe.each(written.operations.map(({ operationId }) => operationId))('api §2, §9: %s', (id) => {
  let operation: PlacedOperation;
  /** The statuses that it has answered with, and the headers of each. */
  const seen = new Map<string, Set<string>>();
  beforeAll(() => void (operation = served.operations.find(({ operationId }) => operationId === id)!));

  const target = (input: Input) => {
    const search = new URLSearchParams(input.query).toString();
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(input.path![name]!));
    return search === '' ? path : `${path}?${search}`;
  };
  const request = (path: string, rest: Ask) =>
    world.server.api(path, { method: operation.method, key: world.ownAccount.key, ...rest });
  const askFor = (input: Input, more: Ask = {}) => {
    const { headers, body } = bodyOf(input);
    const { key = world.ownAccount.key } = input;
    return request(target(input), { key, body, ...more, headers: { ...headers, ...input.headers, ...more.headers } });
  };
  const valid = (): Case => CASES[id]![0]!;
  const expectStatus = (what: string, answer: Answer, status: number) => {
    expect([what, answer.status, answer.text]).toEqual([what, status, answer.text]);
    const documented = expectDocumented(served, operation, answer, what);
    const names = seen.get(documented) ?? new Set();
    seen.set(documented, names);
    for (const name of Object.keys(answer.headers)) names.add(name);
  };

  it('answers its cases as documented', async () => {
    for (const { title, status, input } of CASES[id]!) {
      const caseInput = await input(world);
      if (status < 400 && caseInput.json !== undefined)
        served.expectValid(operation.requestBody!.content['application/json']!.schema, caseInput.json, title);
      expectStatus(title, await askFor(caseInput), status);
    }
  });

  it('refuses inputs that the document does not allow', async () => {
    const validInput = await valid().input(world);
    const answers = faultsOf(served, operation, validInput).map(
      async ({ title, status, path = target(validInput), ask: spoiled }) =>
        [title, await request(path, spoiled), status] as const,
    );
    for (const answer of await Promise.all(answers)) expectStatus(...answer);
  });

  it('allows the callers that the document allows', async () => {
    const schemes = operation.security.map((requirement) => Object.keys(requirement)[0] ?? 'anonymous');
    const statusFor = (scheme: string, refusal: number) => (schemes.includes(scheme) ? valid().status : refusal);
    const validInput = await valid().input(world);
    const foreign = { Authorization: 'Basic eDp5' };
    expect(schemes).toContain('apiKey');
    expectStatus(
      'a deploy token',
      await askFor(validInput, { key: world.ownAccount.deployToken }),
      statusFor('deployToken', 403),
    );
    // Callers that may have uploads still get 404 for uploads of others.
    const withoutCredential = validInput.path?.['upload'] === undefined ? statusFor('anonymous', 401) : 404;
    expectStatus('without a credential', await askFor(validInput, { key: null }), withoutCredential);
    expectStatus('an unknown key', await askFor(validInput, { key: `ship-${'f'.repeat(32)}` }), 401);
    expectStatus('another scheme', await askFor(validInput, { key: null, headers: foreign }), 401);
    expectStatus('a suspended account', await askFor(validInput, { key: world.suspended.key }), 403);
  });

  it('answers as documented when a limit is exceeded, and when the service fails', async () => {
    const validInput = await valid().input(world);
    await world.exhaust();
    expectStatus('too often', await askFor(validInput, { key: world.hasty.key }), 429);
    expectStatus('a long address', await request(`${target(validInput)}?x=${'x'.repeat(8_192)}`, {}), 414);
    expectStatus('large headers', await askFor(validInput, { headers: { X: 'x'.repeat(16_384) } }), 431);
    await withFault(world, 'XX000', async () => expectStatus('a fault', await askFor(validInput), 500));
    await withFault(world, '53300', async () => expectStatus('an outage', await askFor(validInput), 503));
  });

  it('answers HEAD like GET, and 405 to an undocumented method', async () => {
    const validInput = await valid().input(world);
    if (operation.method === 'GET') {
      const [get, head] = [await askFor(validInput), await askFor(validInput, { method: 'HEAD' })];
      expect([head.status, head.text, Object.keys(head.headers)]).toEqual([get.status, '', Object.keys(get.headers)]);
    }
    const [path = ''] = target(validInput).split('?');
    const known = served.operations.filter((each) => matchesTemplate(each.path, path)).map(({ method }) => method);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PURGE'].filter((each) => !known.includes(each))) {
      const answer = await request(path, { method });
      expectStatus(method, answer, 405);
      const allowed = String(answer.headers['allow']).split(', ');
      expect(allowed.filter((each) => !['HEAD', 'OPTIONS'].includes(each)).toSorted()).toEqual(known.toSorted());
    }
  });

  it('documents only statuses and headers that it answers with', () => {
    const promised = Object.keys(operation.responses).filter((status) => !NOT_WALKED.has(status));
    expect([...seen.keys()].filter((status) => status !== 'default').toSorted()).toEqual(promised.toSorted());
    for (const status of promised) {
      const headers = Object.keys(served.follow(operation.responses[status]!).headers!);
      const missing = headers.filter((name) => !seen.get(status)!.has(name.toLowerCase()));
      // An error that occurs before the request is counted has no rate limit headers.
      expect([status, missing.filter((name) => status < '500' || !name.startsWith('RateLimit'))]).toEqual([status, []]);
    }
  });
});

/**
 * Checks that an answer is documented: its status, type and body, which has no unknown field, and its headers.
 *
 * @returns The documented status; `default` for errors that occur before an operation is found.
 */
function expectDocumented(api: OpenApi, { responses }: PlacedOperation, answer: Answer, what: string): string {
  const status = String(answer.status) in responses ? String(answer.status) : 'default';
  const { content, headers = {} } = api.follow(responses[status]!);
  const media = content!['application/json']!;
  if (status === 'default') {
    const early = examplesOf(media).map(([, value]) => (value as { status: number }).status);
    expect(early, what).toContain(answer.status);
  }
  expect(answer.headers['content-type'], what).toBe('application/json; charset=utf-8');
  api.expectValid(media.schema, answer.json(), what);
  for (const [name, reference] of Object.entries(headers)) {
    const header = api.follow(reference);
    const text = answer.headers[name.toLowerCase()];
    if (header.required) expect(text, `${what}: ${name}`).toBeTypeOf('string');
    if (text === undefined) continue;
    const value = header.schema.type === 'integer' && /^\d+$/.test(String(text)) ? Number(text) : text;
    api.expectValid(header.schema, value, `${what}: ${name}`);
  }
  const undocumented = Object.keys(api.document.components.headers).filter(
    (name) => name.toLowerCase() in answer.headers && !(name in headers),
  );
  expect(undocumented, what).toEqual([]);
  return status;
}
