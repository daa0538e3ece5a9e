import { fileURLToPath } from 'node:url';
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from '@berth/contract';
import { closeClean } from '@berth/testing/expectations';
import { type Document, type OpenApi, openApi, type PlacedOperation } from '@berth/testing/open-api';
import { listen, parse, send, stop } from '@berth/testing/raw-socket';
import type { HttpResponse, RequestOptions } from '@berth/testing/requests';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderOpenApi } from '../../src/api-host/openapi-file.ts';
import { type Examples, EXAMPLES_FILE, type RecordedExamples } from '../../src/api-host/openapi-parts.ts';
import { matchesTemplate } from '../../src/api-host/operations.ts';
import { BODY_LIMITS } from '../../src/http/request-body.ts';
import { createHttpServer } from '../../src/http/server.ts';
import type { Case, Input } from './case.ts';
import { bodyOf, CASES } from './cases.ts';
import { faultsOf } from './faults.ts';
import { normalize, record } from './recording.ts';
import { createWorld, withFault, type World } from './world.ts';

const committedApi = openApi(JSON.parse(renderOpenApi()) as Document);
/** Documented statuses that this test does not trigger. A timeout is tested in `http/request-body.test.ts`. */
const UNTESTED_STATUSES = new Set(['408', 'default']);

/** Titles of faults that get the same response from many operations, and that are examples of the document. */
const SHARED_FAULTS = new Set(['A path that cannot be read', 'A body that is not JSON', 'A body that is too large']);

/** The received examples, which must equal the examples of the document. */
const recorded: RecordedExamples = { operations: {}, errors: {} };

/** Records an error that is the same for every operation. */
function recordError(title: string, body: ErrorBody): void {
  const examples: Examples<ErrorBody> = (recorded.errors[body.error as ErrorCode] ??= {});
  expect([title, normalize(body)]).toEqual([title, (examples[title] ??= normalize(body) as ErrorBody)]);
}

/** Records an error that occurs before the operation is known. */
function recordEarlyError(title: string, body: unknown): void {
  (recorded.errors.other ??= {})[`${(body as ErrorBody).status}, ${title}`] ??= normalize(body) as ErrorBody;
}

let world: World;
let servedApi: OpenApi;
beforeAll(async () => {
  world = await createWorld();
  servedApi = openApi((await world.server.api('/openapi.json', { key: null })).json<Document>() as Document);
});
afterAll(() => closeClean(world.server, { secrets: ['open sesame'], faults: true }));

it('every operation of the API has test cases, and all test cases belong to an operation', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(committedApi.operations.map(({ name }) => name).toSorted());
});

describe.each(committedApi.operations.map(({ name }) => name))('api §2, §9: the operation %s', (id) => {
  let operation: PlacedOperation;
  /** The documented statuses that the operation returned, with the names of the received headers. */
  const received = new Map<string, Set<string>>();
  beforeAll(() => void (operation = servedApi.operations.find(({ name }) => name === id)!));

  const target = (input: Input) => {
    const search = new URLSearchParams(input.query).toString();
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(input.path![name]!));
    return search === '' ? path : `${path}?${search}`;
  };
  const sendTo = (path: string, request: RequestOptions) =>
    world.server.api(path, { method: operation.method, key: world.ownAccount.key, ...request });
  const sendInput = (input: Input, extra: RequestOptions = {}) => {
    const { headers, body } = bodyOf(input);
    const { key = world.ownAccount.key } = input;
    return sendTo(target(input), { key, body, ...extra, headers: { ...headers, ...input.headers, ...extra.headers } });
  };
  const valid = (): Case => CASES[id]![0]!;
  const expectError = (title: string, response: HttpResponse, status: number) => {
    expectStatus(title, response, status);
    recordError(title, response.json<ErrorBody>());
  };
  const expectEarlyError = (title: string, response: HttpResponse, status: number) => {
    expectStatus(title, response, status);
    recordEarlyError(title, response.json());
  };
  const expectStatus = (what: string, response: HttpResponse, status: number) => {
    expect([what, response.status, response.text]).toEqual([what, status, response.text]);
    const documented = expectDocumented(servedApi, operation, response, what);
    const headerNames = received.get(documented) ?? new Set();
    received.set(documented, headerNames);
    for (const name of Object.keys(response.headers)) headerNames.add(name);
  };

  it('returns the documented response for each of its test cases', async () => {
    const { requests, answers: responses } = { requests: {}, answers: {} as Record<string, Examples> };
    for (const { title, status, input } of CASES[id]!) {
      const caseInput = await input(world);
      const response = await sendInput(caseInput);
      expectStatus(title, response, status);
      if (response.headers['content-type'] === JSON_TYPE) record((responses[status] ??= {}), title, response.json());
      if (status >= 400 || caseInput.json === undefined) continue;
      servedApi.expectValid(operation.requestBody!.content['application/json']!.schema, caseInput.json, title);
      record(requests, title, caseInput.json);
    }
    recorded.operations[id] = { ...(Object.keys(requests).length > 0 ? { requests } : {}), answers: responses };
  });

  it('refuses inputs that the document does not allow', async () => {
    const validInput = await valid().input(world);
    const responses = faultsOf(servedApi, operation, validInput).map(
      async ({ title, status, path = target(validInput), request: invalidRequest }) =>
        [title, await sendTo(path, invalidRequest), status] as const,
    );
    for (const response of await Promise.all(responses))
      (SHARED_FAULTS.has(response[0]) ? expectError : expectStatus)(...response);
  });

  it('allows exactly the callers that the document names', async () => {
    const schemes = operation.security.map((requirement) => Object.keys(requirement)[0] ?? 'anonymous');
    const validInput = await valid().input(world);
    const expectCaller = (scheme: string, title: string, response: HttpResponse, refusal: number) =>
      schemes.includes(scheme) ? expectStatus(title, response, valid().status) : expectError(title, response, refusal);
    const otherScheme = { Authorization: 'Basic eDp5' };
    expect(schemes).toContain('apiKey');
    expectCaller(
      'deployToken',
      'A deploy token without permission',
      await sendInput(validInput, { key: world.deployToken }),
      403,
    );
    // An anonymous client may have uploads, so it gets a 404 for the upload of an account, not a 401.
    const anonymous = await sendInput(validInput, { key: null });
    if (validInput.path?.['upload'] === undefined) expectCaller('anonymous', 'No credential', anonymous, 401);
    else expectStatus('without a credential', anonymous, 404);
    const unknownKeyResponse = await sendInput(validInput, { key: `ship-${'f'.repeat(32)}` });
    expectError('A credential that is not valid', unknownKeyResponse, 401);
    expectStatus('another scheme', await sendInput(validInput, { key: null, headers: otherScheme }), 401);
    expectError('A suspended account', await sendInput(validInput, { key: world.suspended.key }), 403);
  });

  it('returns the documented errors when a limit is exceeded and when the service fails', async () => {
    const validInput = await valid().input(world);
    await world.exhaust();
    expectError('Too many requests', await sendInput(validInput, { key: world.hasty.key }), 429);
    expectEarlyError('a long URL', await sendTo(`${target(validInput)}?x=${'x'.repeat(8_192)}`, {}), 414);
    expectEarlyError('large headers', await sendInput(validInput, { headers: { X: 'x'.repeat(16_384) } }), 431);
    await withFault(world, 'XX000', async () => expectError('A fault', await sendInput(validInput), 500));
    await withFault(world, '53300', async () => expectError('An outage', await sendInput(validInput), 503));
  });

  it('returns the headers of GET for HEAD, and 405 for undocumented methods', async () => {
    const validInput = await valid().input(world);
    if (operation.method === 'GET') {
      const [get, head] = [await sendInput(validInput), await sendInput(validInput, { method: 'HEAD' })];
      expect([head.status, head.text, Object.keys(head.headers)]).toEqual([get.status, '', Object.keys(get.headers)]);
    }
    const [path = ''] = target(validInput).split('?');
    const methods = servedApi.operations.filter((each) => matchesTemplate(each.path, path)).map(({ method }) => method);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PURGE'].filter((each) => !methods.includes(each))) {
      const response = await sendTo(path, { method });
      expectEarlyError('an unsupported method', response, 405);
      const allowed = String(response.headers['allow']).split(', ');
      expect(allowed.filter((each) => !['HEAD', 'OPTIONS'].includes(each)).toSorted()).toEqual(methods.toSorted());
    }
  });

  it('documents only statuses and headers that occur', () => {
    const statuses = Object.keys(operation.responses).filter((status) => !UNTESTED_STATUSES.has(status));
    expect([...received.keys()].filter((status) => status !== 'default').toSorted()).toEqual(statuses.toSorted());
    for (const status of statuses) {
      const headers = Object.keys(servedApi.follow(operation.responses[status]!).headers!);
      const missing = headers.filter((name) => !received.get(status)!.has(name.toLowerCase()));
      // An error that occurs before the request is counted has no rate limit headers.
      expect([status, missing.filter((name) => status < '500' || !name.startsWith('RateLimit'))]).toEqual([status, []]);
    }
  });
});

it('requests that arrive too slowly or are not HTTP get the documented errors', async () => {
  const log = { info() {}, warn() {}, error() {} };
  const limits = { headersTimeoutMs: 100, checkingIntervalMs: 20, body: { ...BODY_LIMITS, timeoutMs: 100 } };
  const server = createHttpServer((req) => void req.resume(), { log, limits });
  const port = await listen(server);
  const errorOf = async (bytes: string) => JSON.parse(parse(await send(port, bytes)).body) as ErrorBody;
  recordError('A slow body', await errorOf('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf '));
  recordEarlyError('slow headers', await errorOf('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '));
  recordEarlyError('not HTTP', await errorOf('nonsense\r\n\r\n'));
  await stop(server);
});

it('api §9: the examples of the document equal the received responses, which vitest --update records', async () => {
  const byStatus = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
  recorded.errors = {
    ...Object.fromEntries(
      Object.keys(ERROR_STATUS).map((code) => [code, recorded.errors[code as keyof typeof ERROR_STATUS]]),
    ),
    other: Object.fromEntries(Object.entries(recorded.errors.other!).toSorted(byStatus)),
  };
  await expect(`${JSON.stringify(recorded, null, 2)}\n`).toMatchFileSnapshot(fileURLToPath(EXAMPLES_FILE));
});

/** Checks that a response is documented. @returns The status in the document, or `default`. */
const JSON_TYPE = 'application/json; charset=utf-8';

function expectDocumented(api: OpenApi, { responses }: PlacedOperation, response: HttpResponse, what: string): string {
  const status = String(response.status) in responses ? String(response.status) : 'default';
  const { description, content, headers = {} } = api.follow(responses[status]!);
  const type = String(response.headers['content-type']);
  const media = content![type.split(';', 1)[0]!]!;
  if (status === 'default') expect(description, what).toContain(`${response.status} for`);
  if ('application/json' in content!) expect(type, what).toBe(JSON_TYPE);
  if (type === JSON_TYPE) api.expectValid(media.schema, response.json(), what);
  for (const [name, reference] of Object.entries(headers)) {
    const header = api.follow(reference);
    const text = response.headers[name.toLowerCase()];
    if (header.required) expect(text, `${what}: ${name}`).toBeTypeOf('string');
    if (text === undefined) continue;
    const value = header.schema.type === 'integer' && /^\d+$/.test(String(text)) ? Number(text) : text;
    api.expectValid(header.schema, value, `${what}: ${name}`);
  }
  const undocumented = Object.keys(api.document.components.headers).filter(
    (name) => name.toLowerCase() in response.headers && !(name in headers),
  );
  expect(undocumented, what).toEqual([]);
  return status;
}
