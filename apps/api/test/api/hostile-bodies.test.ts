import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DEFAULT_PLANS } from '@berth/contract';
import { begin } from '@berth/testing/delta';
import type { Answer } from '@berth/testing/requests';
import { sha256Of } from '@berth/testing/uploads';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer({ clean: true });

const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Far more than an error needs, and far less than the time that building an issue for each element took. */
const MAX_BLOCKED_MS = 1_500;
const MAX_ANSWER_BYTES = 17 * 1024;

/** Sends a request, and measures how long the event loop of server and test was blocked at most. */
async function watched(ask: () => Promise<Answer>): Promise<Answer & { blockedMs: number }> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const answer = await ask();
  delays.disable();
  return { ...answer, blockedMs: delays.max / 1e6 };
}

const post = (path: string, key: string | null, body: string) =>
  watched(() => server().api(path, { method: 'POST', key, headers: JSON_TYPE, body }));

const repeat = (element: string, count: number) => `[${`${element},`.repeat(count - 1)}${element}]`;

function expectRefusedAtOnce({ status, text, blockedMs }: Awaited<ReturnType<typeof watched>>): void {
  expect([400, 413]).toContain(status);
  expect(text.length).toBeLessThan(MAX_ANSWER_BYTES);
  expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
}

const limits = (plan: string) => DEFAULT_PLANS.find((known) => known.plan === plan)!.limits.maxFilesCount;

describe('S1: hostile lists in JSON are refused at once, with an answer of bounded size', () => {
  /** The credentials, each with the maximum number of files of its plan. */
  const callers: [string, number, () => Promise<string | null>][] = [
    ['an anonymous client', limits('free'), async () => null],
    ['an API key of pro', limits('pro'), async () => (await server().account('pro')).key],
    ['a deploy token of scale', limits('scale'), async () => (await server().account('scale')).deployToken],
  ];
  const inputs: [string, (list: string) => string][] = [
    ['files', (list) => `{"files":${list}}`],
    ['put', (list) => `{"base":"calm-otter-4k9x2qd","put":${list},"remove":[]}`],
    ['remove', (list) => `{"base":"calm-otter-4k9x2qd","put":[],"remove":${list}}`],
    ['labels', (list) => `{"files":[],"labels":${list}}`],
    [
      'all of them',
      (list) => `{"base":"calm-otter-4k9x2qd","files":${list},"put":${list},"remove":${list},"labels":${list}}`,
    ],
  ];

  for (const [who, maxFiles, keyOf] of callers)
    it.each(inputs)(`%s of deployments.begin, from ${who}`, async (_field, inputOf) => {
      const key = await keyOf();
      for (const count of [maxFiles, 2 * maxFiles + 101, 440_000]) {
        const input = inputOf(repeat('{}', count));
        for (const path of ['/uploads', '/trpc/deployments.begin']) expectRefusedAtOnce(await post(path, key, input));
      }
    });

  it('ten calls of a batch', async () => {
    const { deployToken } = await server().account('scale');
    const calls = Array.from({ length: 10 }, () => 'deployments.begin').join(',');
    for (const count of [10_000, 40_000, 400_000]) {
      const inputs = Array.from({ length: 10 }, (_, at) => `"${at}":{"files":${repeat('{}', count)}}`);
      const answer = await post(`/trpc/${calls}?batch=1`, deployToken, `{${inputs.join(',')}}`);
      expect([207, 400, 413]).toContain(answer.status);
      expect(answer.text).not.toContain('"result"');
      expect(answer.text.length).toBeLessThan(10 * MAX_ANSWER_BYTES);
      expect(answer.blockedMs).toBeLessThan(MAX_BLOCKED_MS);
    }
  });

  it.each([
    ['PATCH', '/deployments/calm-otter-4k9x2qd'],
    ['PUT', '/domains/www.example.com'],
    ['POST', '/tokens'],
  ])('the labels of %s %s', async (method, path) => {
    for (const element of ['{}', '1', '""', '[]', '"abc"']) {
      const body = `{"labels":${repeat(element, 100_000)}}`;
      expectRefusedAtOnce(await watched(() => server().api(path, { method, headers: JSON_TYPE, body })));
    }
  });

  it.each(['checksums', 'labels'])('%s of a form', async (field) => {
    const { deployToken } = await server().account('scale');
    for (const element of ['0', '{}', '[]', '""']) {
      const fields = { checksums: '[]', [field]: repeat(element, 1_500_000) };
      expectRefusedAtOnce(await watched(() => server().deploy({ 'a.txt': 'a' }, { key: deployToken, fields })));
    }
  });

  it('by the content of a body, not by its length: other shapes of many values', async () => {
    const nested = `{"x":${repeat('[[[]]]', 300_000)}}`;
    const fields = `{${Array.from({ length: 100_000 }, (_, i) => `"${i}":0`).join(',')}}`;
    for (const body of [nested, fields, `{"x":${repeat('0', 500_000)}}`]) {
      const answer = await post('/account/claim', (await server().account()).key, body);
      expect(answer.status).toBe(413);
      expect(answer.json()).toMatchObject({ error: 'payload_too_large', details: { limit: 'body' } });
      expect(answer.blockedMs).toBeLessThan(MAX_BLOCKED_MS);
    }
  });
});

describe('house B8: as many files as the plan allows, with the longest paths', () => {
  const file = (path: string) => ({ path, size: 0, sha256: sha256Of('') });
  const segment = 'é'.repeat(127);
  const paths = Array.from(
    { length: limits('free') },
    (_, i) => `${String(i).padStart(4, '0')}/${[segment, segment, segment, segment].join('/')}`,
  );

  it('are accepted, in UTF-8 and in ASCII JSON, which many languages write', async () => {
    expect(Buffer.byteLength(paths[0]!)).toBe(1_024);
    expect(await begin(server(), { files: paths.map(file) }, { key: null })).toMatchObject({ status: 201 });
    const { key } = await server().account();
    const body = JSON.stringify({ files: paths.map(file) }, null, 4).replaceAll('é', '\\u00e9');
    expect((await server().api('/uploads', { method: 'POST', key, headers: JSON_TYPE, body })).status).toBe(201);
  });

  it('is the maximum: one more file is 413, and the message says so', async () => {
    const { key } = await server().account();
    const files = [...paths, 'one-more'].map(file);
    expect((await begin(server(), { files }, { key })).json()).toMatchObject({
      error: 'payload_too_large',
      details: { limit: 'maxFilesCount', max: limits('free') },
    });
  });
});

describe('S2, F5: the type of a body', () => {
  const typed = (type: string) =>
    watched(() => server().api('/account/claim', { method: 'POST', headers: { 'Content-Type': type }, body: '{}' }));

  it.each([
    'application/json',
    'Application/JSON',
    'application/json;',
    'application/json ; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf-8;',
    'application/json\t;\tcharset = utf-8\t',
  ])('%j is JSON', async (type) => {
    expect((await typed(type)).json()).toMatchObject({ details: { issues: [{ path: 'claim' }] } });
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
  ])('%j is not JSON, and is refused at once', async (type) => {
    const answer = await typed(type);
    expect(answer.json()).toMatchObject({ error: 'validation_failed', message: expect.stringMatching(/must be JSON/) });
    expect(answer.blockedMs).toBeLessThan(250);
  });
});
