import type { CreatedDeployment } from '@berth/contract';
import { file, multipart, type Part, post, withChecksums } from '@berth/testing/multipart';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer({ clean: true });

const HOME = file('index.html', 'home');
const formWith = (...parts: Part[]) => multipart(withChecksums([HOME, ...parts]));

async function deploy(...parts: Part[]): Promise<CreatedDeployment> {
  const response = await post(server(), formWith(...parts));
  expect([response.status, response.text]).toEqual([201, expect.anything()]);
  return response.json<CreatedDeployment>();
}

async function storedRules(deployment: string): Promise<unknown> {
  const [row] = await server().database.query<{ rules: unknown }>(
    'select rules from manifest where deployment_id = $1',
    [deployment],
  );
  return row!.rules;
}

describe('the rules of a deploy', () => {
  it('are compiled and stored with the deployment, without a warning if they are valid (S12, S22)', async () => {
    const { deployment, files, warnings } = await deploy(
      file('ship.json', '\ufeff{"cleanUrls": true, "redirects": [{"source": "/a", "destination": "/b"}]}'),
      file('_redirects', '\ufeff/old/* /new/:splat 302!\n/* /index.html 200\n'),
      file('_headers', '\ufeff/*\r\n  X-A: 1\r\n'),
    );
    expect([files, warnings]).toEqual([4, undefined]);
    expect(await storedRules(deployment)).toMatchObject({
      cleanUrls: true,
      trailingSlash: null,
      forced: [{ status: 308 }, { status: 302 }],
      whenMissing: [{ status: 200 }],
      headers: [{ steps: [['X-A', '1']] }],
    });
  });

  it('are null without rule files in the root, because other folders do not count (S22)', async () => {
    const nestedFiles = ['ship.json', '_redirects', '_headers'].map((name) => file(`docs/${name}`, '\0 no rules {'));
    const { deployment, warnings } = await deploy(...nestedFiles);
    expect([await storedRules(deployment), warnings]).toEqual([null, undefined]);
  });

  it('are part of the request, so that the same deploy with the same key is a replay (api §3)', async () => {
    const headers = { 'Idempotency-Key': 'rules-1' };
    const rules = [file('_redirects', '/a /b\n/c'), file('ship.json', '{"x": 1}')];
    const firstResponse = await post(server(), formWith(...rules), { headers });
    const replayedDeploy = await post(server(), formWith(...rules), { headers });
    expect([firstResponse.status, replayedDeploy.text]).toEqual([201, firstResponse.text]);
    expect(firstResponse.json()).toMatchObject({ warnings: [{ at: 'x' }, { line: 2 }] });
  });
});

describe('the deploy of a site that was built for another host (S23)', () => {
  it('of Netlify names each line that behaves differently on Berth', async () => {
    const { warnings } = await deploy(
      file('about.html', 'about'),
      file('netlify.toml', '[build]\n  publish = "dist"\n'),
      file(
        '_redirects',
        [
          'https://www.moved.example/* https://moved.example/:splat 301!',
          '/api/* /.netlify/functions/:splat 200',
          '/ /en 302 Language=en',
          '/about /team',
          '/old /about',
          '/old /new',
          '/* /index.html 200',
        ].join('\n'),
      ),
      file('_headers', '/*\n  X-Content-Type-Options: nosniff\n  X-Frame-Options: DENY\n'),
    );
    expect(warnings!.map(({ file, line }) => [file, line]).toSorted()).toEqual([
      ['_redirects', 2],
      ['_redirects', 3],
      ['_redirects', 4],
      ['_redirects', 6],
      ['netlify.toml', undefined],
    ]);
  });

  it('has no warning if the vercel.json of Vercel is renamed to ship.json and has only rules', async () => {
    const rules = {
      $schema: 'https://openapi.vercel.sh/vercel.json',
      cleanUrls: true,
      redirects: [{ source: '/blog/:path*', destination: '/posts/:path*', permanent: true }],
      rewrites: [{ source: '/((?!api/).*)', destination: '/index.html' }],
      headers: [{ source: '/(.*)', headers: [{ key: 'X-Content-Type-Options', value: 'nosniff' }] }],
    };
    const { deployment, warnings } = await deploy(file('ship.json', JSON.stringify(rules)));
    expect(warnings).toBeUndefined();
    expect(await server().visit(deployment, '/any/route')).toMatchObject({ status: 200, text: 'home' });
    expect((await server().visit(deployment, '/api/route')).status).toBe(404);
    expect((await server().visit(deployment, '/blog/a/b')).headers).toMatchObject({ location: '/posts/a/b' });
    const deployedWithUnreadFile = await deploy(file('vercel.json', JSON.stringify(rules)));
    expect(deployedWithUnreadFile.warnings).toMatchObject([{ file: 'vercel.json' }]);
  });
});

it('warnings of rule files can contain any text (S23)', async () => {
  const texts = ['\u0000\u2028\ud800', '"\\u0000"', '\u0000: \u0000', '/\u0000 /\u0000', 'a\u202e'];
  const json = {
    redirects: texts.map((text) => ({ source: text, [text]: text })),
    ...Object.fromEntries(texts.map((text) => [text, 1])),
  };
  const rules = formWith(
    file('ship.json', JSON.stringify(json)),
    file('_redirects', texts.join('\n')),
    file('_headers', texts.join('\n')),
  );
  // The key makes the server store the response, and the database accepts neither NUL nor half of a surrogate pair.
  const response = await post(server(), rules, { headers: { 'Idempotency-Key': 'any-text' } });
  expect(response.status).toBe(201);
  expect(response.json<CreatedDeployment>().warnings!.length).toBeGreaterThan(10);
});
