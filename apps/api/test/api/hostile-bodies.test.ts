import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DEFAULT_PLANS } from '@berth/contract';
import { begin } from '@berth/testing/delta';
import type { HttpResponse } from '@berth/testing/requests';
import { sha256Of } from '@berth/testing/uploads';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer({ clean: true });

const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Much longer than it takes to create an error, and much shorter than to create one issue for each element. */
const MAX_BLOCKED_MS = 1_500;
const MAX_RESPONSE_BYTES = 17 * 1024;

/** Sends a request and measures the longest time that the shared event loop of server and test was blocked. */
async function measureBlocking(send: () => Promise<HttpResponse>): Promise<HttpResponse & { blockedMs: number }> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const response = await send();
  delays.disable();
  return { ...response, blockedMs: delays.max / 1e6 };
}

const post = (path: string, key: string | null, body: string) =>
  measureBlocking(() => server().api(path, { method: 'POST', key, headers: JSON_TYPE, body }));

const listOfCopies = (element: string, count: number) => `[${`${element},`.repeat(count - 1)}${element}]`;

function expectRefusedAtOnce({ status, text, blockedMs }: Awaited<ReturnType<typeof measureBlocking>>): void {
  expect([400, 413]).toContain(status);
  expect(text.length).toBeLessThan(MAX_RESPONSE_BYTES);
  expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
}

const maxFilesOf = (plan: string) => DEFAULT_PLANS.find((known) => known.plan === plan)!.limits.maxFilesCount;

describe('S1: a hostile list in JSON', () => {
  /** The callers, each with the maximum number of files of its plan and its credential. */
  const callers: [string, number, () => Promise<string | null>][] = [
    ['an anonymous client', maxFilesOf('free'), async () => null],
    ['an API key of pro', maxFilesOf('pro'), async () => (await server().account('pro')).key],
    ['a deploy token of scale', maxFilesOf('scale'), async () => (await server().account('scale')).deployToken],
  ];
  const inputs: [string, (list: string) => string][] = [
    ['the files', (list) => `{"files":${list}}`],
    ['the put list', (list) => `{"base":"calm-otter-4k9x2qd","put":${list},"remove":[]}`],
    ['the remove list', (list) => `{"base":"calm-otter-4k9x2qd","put":[],"remove":${list}}`],
    ['the labels', (list) => `{"files":[],"labels":${list}}`],
    [
      'all lists',
      (list) => `{"base":"calm-otter-4k9x2qd","files":${list},"put":${list},"remove":${list},"labels":${list}}`,
    ],
  ];

  for (const [caller, maxFiles, keyOf] of callers)
    it.each(inputs)(`is refused at once in %s of deployments.begin, from ${caller}`, async (_field, inputOf) => {
      const key = await keyOf();
      for (const count of [maxFiles, 2 * maxFiles + 101, 440_000]) {
        const input = inputOf(listOfCopies('{}', count));
        for (const path of ['/uploads', '/trpc/deployments.begin']) expectRefusedAtOnce(await post(path, key, input));
      }
    });

  it('is refused at once in ten calls of a batch', async () => {
    const { deployToken } = await server().account('scale');
    const calls = Array.from({ length: 10 }, () => 'deployments.begin').join(',');
    for (const count of [10_000, 40_000, 400_000]) {
      const inputs = Array.from({ length: 10 }, (_, at) => `"${at}":{"files":${listOfCopies('{}', count)}}`);
      const response = await post(`/trpc/${calls}?batch=1`, deployToken, `{${inputs.join(',')}}`);
      expect([207, 400, 413]).toContain(response.status);
      expect(response.text).not.toContain('"result"');
      expect(response.text.length).toBeLessThan(10 * MAX_RESPONSE_BYTES);
      expect(response.blockedMs).toBeLessThan(MAX_BLOCKED_MS);
    }
  });

  it.each([
    ['PATCH', '/deployments/calm-otter-4k9x2qd'],
    ['PUT', '/domains/www.example.com'],
    ['POST', '/tokens'],
  ])('is refused at once with a small response in the labels of %s %s', async (method, path) => {
    for (const element of ['{}', '1', '""', '[]', '"abc"']) {
      const body = `{"labels":${listOfCopies(element, 100_000)}}`;
      expectRefusedAtOnce(await measureBlocking(() => server().api(path, { method, headers: JSON_TYPE, body })));
    }
  });

  it.each(['checksums', 'labels'])('is refused at once with a small response in the %s of a form', async (field) => {
    const { deployToken } = await server().account('scale');
    for (const element of ['0', '{}', '[]', '""']) {
      const fields = { checksums: '[]', [field]: listOfCopies(element, 1_500_000) };
      expectRefusedAtOnce(await measureBlocking(() => server().deploy({ 'a.txt': 'a' }, { key: deployToken, fields })));
    }
  });

  it('is refused because of the number of its values, even if the body is small', async () => {
    const nestedLists = `{"x":${listOfCopies('[[[]]]', 300_000)}}`;
    const fields = `{${Array.from({ length: 100_000 }, (_, i) => `"${i}":0`).join(',')}}`;
    for (const body of [nestedLists, fields, `{"x":${listOfCopies('0', 500_000)}}`]) {
      const response = await post('/account/claim', (await server().account()).key, body);
      expect(response.status).toBe(413);
      expect(response.json()).toMatchObject({ error: 'payload_too_large', details: { limit: 'body' } });
      expect(response.blockedMs).toBeLessThan(MAX_BLOCKED_MS);
    }
  });
});

describe('house B8: an upload with as many files as the plan allows, each with the longest path', () => {
  const emptyFile = (path: string) => ({ path, size: 0, sha256: sha256Of('') });
  const segment = 'é'.repeat(127);
  const paths = Array.from(
    { length: maxFilesOf('free') },
    (_, i) => `${String(i).padStart(4, '0')}/${[segment, segment, segment, segment].join('/')}`,
  );

  it('is accepted in UTF-8, and in JSON that escapes non-ASCII characters', async () => {
    expect(Buffer.byteLength(paths[0]!)).toBe(1_024);
    expect(await begin(server(), { files: paths.map(emptyFile) }, { key: null })).toMatchObject({ status: 201 });
    const { key } = await server().account();
    const body = JSON.stringify({ files: paths.map(emptyFile) }, null, 4).replaceAll('é', '\\u00e9');
    expect((await server().api('/uploads', { method: 'POST', key, headers: JSON_TYPE, body })).status).toBe(201);
  });

  it('is the largest upload: one more file gets a 413, and the message names the maximum', async () => {
    const { key } = await server().account();
    const files = [...paths, 'one-more'].map(emptyFile);
    expect((await begin(server(), { files }, { key })).json()).toMatchObject({
      error: 'payload_too_large',
      details: { limit: 'maxFilesCount', max: maxFilesOf('free') },
    });
  });
});

describe('S2, F5: the Content-Type of a body', () => {
  const postAs = (type: string) =>
    measureBlocking(() =>
      server().api('/account/claim', { method: 'POST', headers: { 'Content-Type': type }, body: '{}' }),
    );

  it.each([
    'application/json',
    'Application/JSON',
    'application/json;',
    'application/json ; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf-8;',
    'application/json\t;\tcharset = utf-8\t',
  ])('is read as JSON if it is %j', async (type) => {
    expect((await postAs(type)).json()).toMatchObject({ details: { issues: [{ path: 'claim' }] } });
  });

  it.each([
    'text/plain',
    'application/json5',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-8; charset=utf-8',
    'application/json;;',
    'application/json; x=y',
    `application/json${'\t'.repeat(15_000)}x`,
    `application/json;${' '.repeat(15_000)}charset${' '.repeat(100)}`,
    `application/json;${'charset=utf-8;'.repeat(1_000)}`,
  ])('is refused at once if it is %j', async (type) => {
    const response = await postAs(type);
    expect(response.json()).toMatchObject({
      error: 'validation_failed',
      message: expect.stringMatching(/must be JSON/),
    });
    expect(response.blockedMs).toBeLessThan(250);
  });
});
