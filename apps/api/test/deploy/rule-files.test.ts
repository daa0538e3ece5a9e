import type { CreatedDeployment } from '@berth/contract';
import { file, multipart, type Part, post, withChecksums } from '@berth/testing/multipart';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer({ clean: true });

const HOME = file('index.html', 'home');
const form = (...parts: Part[]) => multipart(withChecksums([HOME, ...parts]));

async function created(...parts: Part[]): Promise<CreatedDeployment> {
  const answer = await post(server(), form(...parts));
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  return answer.json<CreatedDeployment>();
}

async function keptRules(deployment: string): Promise<unknown> {
  const [row] = await server().database.query<{ rules: unknown }>(
    'select rules from manifest where deployment_id = $1',
    [deployment],
  );
  return row!.rules;
}

describe('the rules of a deploy', () => {
  it('are compiled and stored with it, without a warning when they are valid (S12, S22)', async () => {
    const { deployment, files, warnings } = await created(
      file('ship.json', '\ufeff{"cleanUrls": true, "redirects": [{"source": "/a", "destination": "/b"}]}'),
      file('_redirects', '\ufeff/old/* /new/:splat 302!\n/* /index.html 200\n'),
      file('_headers', '\ufeff/*\r\n  X-A: 1\r\n'),
    );
    expect([files, warnings]).toEqual([4, undefined]);
    expect(await keptRules(deployment)).toMatchObject({
      cleanUrls: true,
      trailingSlash: null,
      forced: [{ status: 308 }, { status: 302 }],
      whenMissing: [{ status: 200 }],
      headers: [{ steps: [['X-A', '1']] }],
    });
  });

  it('are null when there are none, and are only read from the root (S22)', async () => {
    const faulty = ['ship.json', '_redirects', '_headers'].map((name) => file(`docs/${name}`, '\0 no rules {'));
    const { deployment, warnings } = await created(...faulty);
    expect([await keptRules(deployment), warnings]).toEqual([null, undefined]);
  });

  it('are part of the content: the same deploy again is a replay (api §3)', async () => {
    const headers = { 'Idempotency-Key': 'rules-1' };
    const rules = [file('_redirects', '/a /b\n/c'), file('ship.json', '{"x": 1}')];
    const first = await post(server(), form(...rules), { headers });
    const again = await post(server(), form(...rules), { headers });
    expect([first.status, again.text]).toEqual([201, first.text]);
    expect(first.json()).toMatchObject({ warnings: [{ at: 'x' }, { line: 2 }] });
  });
});

it('warnings of rule files contain any text safely (S23)', async () => {
  const texts = ['\u0000\u2028\ud800', '"\\u0000"', '\u0000: \u0000', '/\u0000 /\u0000', 'a\u202e'];
  const json = {
    redirects: texts.map((text) => ({ source: text, [text]: text })),
    ...Object.fromEntries(texts.map((text) => [text, 1])),
  };
  const rules = form(
    file('ship.json', JSON.stringify(json)),
    file('_redirects', texts.join('\n')),
    file('_headers', texts.join('\n')),
  );
  // With a key the answer is stored, and the database accepts no NUL and no half of a surrogate pair.
  const answer = await post(server(), rules, { headers: { 'Idempotency-Key': 'any-text' } });
  expect(answer.status).toBe(201);
  expect(answer.json<CreatedDeployment>().warnings!.length).toBeGreaterThan(10);
});
