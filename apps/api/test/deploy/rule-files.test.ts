import type { CreatedDeployment } from '@berth/contract';
import { expectRefusal } from '@berth/testing/expectations';
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

describe('warnings of rule files', () => {
  it('name the file, the line or place, and what would be valid (S23)', async () => {
    const { warnings } = await created(
      file('ship.json', '{"rewrites": [{"source": "/(.*)", "destination": "https://b.example/$1"}], "functions": {}}'),
      file('_redirects', '# rules\n/store id=:id /blog/:id 301\n/a /b\n/b /a\n/x /nowhere 200\n'),
      file('_headers', '/*\n  ETag: "1"\n  X-A: 1\n'),
      file('.htaccess', ''),
    );
    expect(warnings!.map(({ file, line, at }) => `${file}:${line ?? at ?? ''}`)).toEqual([
      'ship.json:functions',
      'ship.json:rewrites[0].destination',
      '_redirects:2',
      '_headers:2',
      '_redirects:5',
      '_redirects:4',
      '.htaccess:',
    ]);
    for (const { message } of warnings!) expect(message).toMatch(/^[A-Z].{20,}\.$/);
  });

  it('name a page that is hidden by another file for the same path (S20)', async () => {
    const { warnings } = await created(
      file('ship.json', '{"trailingSlash": true}'),
      file('both.html', '1'),
      file('both/index.html', '2'),
    );
    expect(warnings).toEqual([{ file: 'both.html', message: expect.stringContaining('"/both/"') }]);
  });

  it('are 100, and one more that counts the rest, however many faults there are (S65)', async () => {
    const { warnings } = await created(file('_redirects', 'x\n'.repeat(5000)));
    expect(warnings).toHaveLength(101);
    expect(warnings!.at(-1)).toEqual({ file: '_redirects', message: expect.stringContaining('4900') });
  });

  it('contain any text safely (S23)', async () => {
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
});

describe('the limits of rule files (S65)', () => {
  it('skip the rest beyond 1 MiB of _redirects and 256 KiB of _headers, with one warning each', async () => {
    const comment = `#${'x'.repeat(1022)}\n`;
    const { deployment, warnings } = await created(
      file('_redirects', `/a /b\n${comment.repeat(1024)}/c /d\n`),
      file('_headers', `/*\n X-A: 1\n${comment.repeat(256)}/*\n X-B: 1\n`),
    );
    expect(warnings!.map(({ file }) => file)).toEqual(['_redirects', '_headers']);
    expect(await keptRules(deployment)).toMatchObject({
      whenMissing: [{ from: 'a' }],
      headers: [{ steps: [['X-A', '1']] }],
    });
  });

  it('allow a full set of rules', async () => {
    const lines = Array.from({ length: 10_000 }, (_, n) => `/old/page-${n} /new/page-${n}`);
    const { deployment, warnings } = await created(file('_redirects', lines.join('\n')));
    expect(warnings).toBeUndefined();
    expect((await keptRules(deployment)) as { whenMissing: unknown[] }).toMatchObject({
      whenMissing: { length: 10_000 },
    });
  });

  it('refuse a deploy whose ship.json is larger than 256 KiB (S23)', async () => {
    const { details } = await expectRefusal(server(), 'validation_failed', () =>
      post(server(), form(file('ship.json', `{"a":"${'x'.repeat(256 * 1024)}"}`))),
    );
    expect(details).toEqual({ file: 'ship.json' });
  });
});
