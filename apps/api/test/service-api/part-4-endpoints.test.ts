import { hash } from 'node:crypto';
import { type Deployment, DomainList, type Token } from '@berth/contract';
import type { Operation } from '@berth/core';
import { OPERATION_ACCESS } from '@berth/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checksums, field, file, multipart, type Part, post, withChecksums } from '../multipart.ts';
import { expectErrorAnswer } from '../standing-asserts.ts';
import type { Answer } from '../test-server.ts';
import { HOME, PASSWORD, PLATFORM_DOMAIN, startWorld, type World } from './world.ts';

/** A row of the tables of part 4. */
type Row = [
  method: string,
  path: string,
  operation: Operation,
  status: number,
  auth: 'optional' | 'credential' | 'none',
];
const ENDPOINTS: Row[] = [
  ['POST', '/deployments', 'deployments.create', 201, 'optional'],
  ['GET', '/deployments', 'deployments.list', 200, 'credential'],
  ['GET', '/deployments/{deployment}', 'deployments.get', 200, 'credential'],
  ['PATCH', '/deployments/{deployment}', 'deployments.update', 200, 'credential'],
  ['DELETE', '/deployments/{deployment}', 'deployments.delete', 202, 'credential'],
  ['PUT', '/domains/{domain}', 'domains.put', 200, 'credential'],
  ['GET', '/domains', 'domains.list', 200, 'credential'],
  ['GET', '/domains/{domain}', 'domains.get', 200, 'credential'],
  ['DELETE', '/domains/{domain}', 'domains.delete', 200, 'credential'],
  ['POST', '/domains/validate', 'domains.validate', 200, 'credential'],
  ['POST', '/domains/{domain}/validate', 'domains.validateNamed', 200, 'credential'],
  ['POST', '/domains/{domain}/verify', 'domains.verify', 200, 'credential'],
  ['GET', '/domains/{domain}/dns', 'domains.dns', 200, 'credential'],
  ['GET', '/domains/{domain}/records', 'domains.records', 200, 'credential'],
  ['GET', '/domains/{domain}/share', 'domains.share', 200, 'credential'],
  ['POST', '/tokens', 'tokens.create', 201, 'credential'],
  ['GET', '/tokens', 'tokens.list', 200, 'credential'],
  ['DELETE', '/tokens/{token}', 'tokens.delete', 200, 'credential'],
  ['GET', '/account', 'account.get', 200, 'credential'],
  ['POST', '/account/claim', 'account.claim', 200, 'credential'],
  ['GET', '/activities', 'activities.list', 200, 'credential'],
  ['GET', '/labels', 'labels.list', 200, 'credential'],
  ['GET', '/limits', 'platform.limits', 200, 'credential'],
  ['GET', '/ping', 'platform.ping', 200, 'credential'],
  ['GET', '/plans', 'plans.list', 200, 'none'],
  ['GET', '/config', 'platform.config', 301, 'none'],
];

/** The operations that the contract adds. */
const ADDED = [
  'tokens.get GET /tokens/{token}',
  'deployments.begin POST /uploads',
  'deployments.contents PUT /uploads/{upload}/contents',
  'deployments.commit POST /uploads/{upload}/commit',
  'deployments.abort DELETE /uploads/{upload}',
];

let world: World;
beforeAll(async () => void (world = await startWorld()));
afterAll(() => world.close());

const send: World['send'] = (...args) => world.send(...args);
let serial = 0;
const customName = () => `www.shop-${(serial += 1)}.dev`;

/** Creates what a path names, and a valid body for the operation. */
async function ready(path: string): Promise<{ path: string; body?: unknown }> {
  if (path.includes('{deployment}')) {
    const { deployment } = await world.publish();
    return { path: path.replace('{deployment}', deployment), body: { labels: ['one'] } };
  }
  if (path.includes('{domain}')) {
    const domain = customName();
    await send('PUT', `/domains/${domain}`, {});
    return { path: path.replace('{domain}', domain), body: {} };
  }
  if (path.includes('{token}')) {
    const { token, secret } = (await send('POST', '/tokens', {})).json<Token & { secret: string }>();
    world.server.secrets.add(secret);
    return { path: path.replace('{token}', token) };
  }
  if (path === '/domains/validate') return { path, body: { domain: customName() } };
  if (path === '/account/claim') return { path, body: { claim: (await world.publishAnonymous()).hash } };
  return { path, body: {} };
}

async function call([method, template]: Row, key: string | null): Promise<Answer> {
  if (template === '/deployments' && method === 'POST') return world.deploy(HOME, { key });
  const { path, body } = await ready(template);
  const answer = await send(method, path, ['POST', 'PUT', 'PATCH'].includes(method) ? body : undefined, { key });
  if (template === '/tokens' && answer.status === 201)
    world.server.secrets.add(answer.json<{ secret: string }>().secret);
  return answer;
}

describe('api §1: the tables of endpoints', () => {
  it('name every operation, and every operation has the route of the table', async () => {
    const { paths } = (await send('GET', '/openapi.json', undefined, { key: null })).json<{
      paths: Record<string, Record<string, { operationId: string }>>;
    }>();
    const documented = ENDPOINTS.map(([method, path, operation]) => [operation, method, path].join(' '));
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, method.toUpperCase(), path].join(' ')),
    );
    expect([...documented, ...ADDED].toSorted()).toEqual(described.toSorted());
    for (const [, , operation] of ENDPOINTS) expect(OPERATION_ACCESS).toHaveProperty([operation]);
  });

  it.each(ENDPOINTS)('%s %s (%s) answers %i', async (...row) => {
    const { status, text, headers } = await call(row, world.mine.key);
    expect([status, text]).toEqual([row[3], expect.stringMatching(/^\{/)]);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each(ENDPOINTS)('%s %s, Auth (%s, %i): %s', async (...row) => {
    const answer = await call(row, null);
    if (row[4] === 'credential') expectErrorAnswer(answer, 'authentication_failed');
    else expect(answer.status).toBe(row[3]);
  });
});

describe('api §1: "All requests and responses are `application/json`, except the deployment upload, which is `multipart/form-data`."', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    '%s',
    async (type) => {
      const headers = { 'Content-Type': type };
      expectErrorAnswer(await send('POST', '/tokens', {}, { headers }), 'validation_failed');
    },
  );

  it('an upload that is JSON', async () => {
    expectErrorAnswer(await send('POST', '/deployments', { files: [] }), 'validation_failed');
  });
});

it('api §4: "Domain names in paths are URL-encoded; the service normalises their casing and Unicode."', async () => {
  const made = await send('PUT', `/domains/${encodeURIComponent('www.Größe.dev')}`, {});
  expect(made.json()).toMatchObject({ domain: 'www.xn--gre-6ka8i.dev' });
  for (const spelling of ['www.größe.dev', 'WWW.GRÖSSE.dev'.replace('SS', 'ß'), 'www.xn--gre-6ka8i.DEV'])
    expect((await send('GET', `/domains/${encodeURIComponent(spelling)}`)).text).toBe(made.text);
});

describe('api §3: multipart fields of `POST /deployments`', () => {
  const upload = (...parts: Part[]) => {
    const host = { Host: 'api.berth.test' };
    return post(world.server, multipart(parts), { key: world.mine.key, headers: host });
  };

  it('`files[]`: "One part per file. The filename carries the file\'s path (relative-path style)."', async () => {
    const answer = await upload(...withChecksums([file('index.html', '1'), file('docs/deep/a.txt', '22')]));
    const { url, files, size } = answer.json<Deployment>();
    expect([answer.status, files, size]).toEqual([201, 2, 3]);
    expect((await world.visit(`${url}/docs/deep/a.txt`)).text).toBe('22');
    for (const name of ['../a.txt', '/etc//passwd', 'C:/a.txt'])
      expectErrorAnswer(await upload(...withChecksums([file(name, '1')])), 'validation_failed');
  });

  it('`files[]`, required: yes', async () => {
    expectErrorAnswer(await upload(checksums()), 'validation_failed');
  });

  it('`checksums`, required: yes', async () => {
    expect(expectErrorAnswer(await upload(file('a', '1')), 'validation_failed').message).toContain('checksums');
  });

  it('`checksums`: "One MD5 per file, in the same order as `files[]`." JSON-encoded array of string', async () => {
    const files = [file('a', '1'), file('b', '2')];
    const sums = ['1', '2'].map((bytes) => hash('md5', bytes));
    expect((await upload(...files, field('checksums', JSON.stringify(sums)))).status).toBe(201);
    for (const wrong of [sums.toReversed(), sums.slice(1), [...sums, sums[0]], sums.join(), [1, 2]])
      expectErrorAnswer(await upload(...files, field('checksums', JSON.stringify(wrong))), 'validation_failed');
    expectErrorAnswer(await upload(...files, field('checksums', sums.join())), 'validation_failed');
  });

  it('`labels`: "Labels for the deployment." JSON-encoded array of string, not required', async () => {
    const answer = await upload(...withChecksums([file('a', '1')]), field('labels', '["one","two"]'));
    expect(answer.json()).toMatchObject({ labels: ['one', 'two'] });
    for (const labels of ['one', '"one"', '[1]', '["NOT A LABEL"]', '{}'])
      expectErrorAnswer(await upload(...withChecksums([file('a', '1')]), field('labels', labels)), 'validation_failed');
  });

  it('`password`: "6 to 128 characters. Protects the deployment with an unlock page."', async () => {
    const { url, password } = await world.publish(HOME, { fields: { password: PASSWORD } });
    expect([password, (await world.visit(url)).status]).toEqual([true, 401]);
    expectErrorAnswer(await world.deploy(HOME, { fields: { password: '12345' } }), 'validation_failed');
  });

  it.each(['cli', 'sdk', 'mcp'])('`via`: "Origin tag (`cli`, `sdk`, `mcp`, etc.)": %s', async (via) => {
    expect((await upload(...withChecksums([file('a', '1')]), field('via', via))).json()).toMatchObject({ via });
  });

  it('"Optional request header on deploy endpoints: `Idempotency-Key`"', async () => {
    const headers = { 'Idempotency-Key': 'part 4' };
    const [first, again] = [await world.deploy(HOME, { headers }), await world.deploy(HOME, { headers })];
    expect([first.status, again.text]).toEqual([201, first.text]);
  });

  it('"Response 201: a Deployment object (part 2)."', async () => {
    const made = await world.publish();
    expect((await send('GET', `/deployments/${made.deployment}`)).json()).toEqual(made);
  });
});

it('api §3: PATCH: "it updates labels"', async () => {
  const { deployment } = await world.publish(HOME, { fields: { labels: '["before"]' } });
  const patch = async (labels: string[]) => (await send('PATCH', `/deployments/${deployment}`, { labels })).json();
  expect(await patch(['after', 'all'])).toMatchObject({ deployment, labels: ['after', 'all'] });
  expect(await patch([])).toMatchObject({ labels: [] });
});

describe('api §4: Domains', () => {
  it('"Upsert: create, link to a deployment, switch to another deployment, or label. Body is JSON and can carry `deployment` (string, a deployment id)."', async () => {
    const [one, other] = [await world.publish(), await world.publish()];
    const path = `/domains/upsert.${PLATFORM_DOMAIN}`;
    const put = async (body?: object) => {
      const { status, json } = await send('PUT', path, body);
      return [status, json()];
    };
    const row = (more: object) => expect.objectContaining(more);
    expect(await put()).toEqual([201, row({ deployment: null, labels: [] })]);
    expect(await put({ deployment: one.deployment })).toEqual([200, row({ deployment: one.deployment })]);
    expect(await put({ deployment: other.deployment })).toEqual([200, row({ deployment: other.deployment })]);
    expect(await put({ labels: ['upsert'] })).toEqual([200, row({ deployment: other.deployment, labels: ['upsert'] })]);
  });

  it('"Delete domain, synchronous (200)."', async () => {
    const path = `/domains/gone.${PLATFORM_DOMAIN}`;
    await send('PUT', path, {});
    expect((await send('DELETE', path)).status).toBe(200);
    expectErrorAnswer(await send('GET', path), 'not_found');
  });

  it('"A usage flow also calls the validate operation as `POST /domains/{domain}/validate` with no body"', async () => {
    const name = customName();
    const named = await send('POST', `/domains/${name}/validate`);
    const inBody = await send('POST', '/domains/validate', { domain: name });
    expect([named.status, named.text]).toEqual([200, inBody.text]);
    expect(named.json()).toMatchObject({ valid: true, available: true });
  });

  it('"validate the name, create and link with PUT, read the records, configure DNS, then verify"', async () => {
    const { deployment } = await world.publish();
    const name = customName();
    const { normalized } = (await send('POST', '/domains/validate', { domain: name })).json<{ normalized: string }>();
    expect((await send('PUT', `/domains/${normalized}`, { deployment })).status).toBe(201);
    const { records } = (await send('GET', `/domains/${name}/records`)).json<{
      records: { name: string; value: string }[];
    }>();
    world.dns.zone.set(records[0]!.name, { CNAME: records[0]!.value });
    expect((await send('POST', `/domains/${name}/verify`)).json()).toMatchObject({ status: 'success' });
    expect((await world.visit(`https://${name}/`)).status).toBe(200);
  });

  it('"List domains"', async () => {
    const { domains } = DomainList.parse((await send('GET', '/domains')).json());
    expect(domains.map(({ domain }) => domain)).toContain(`upsert.${PLATFORM_DOMAIN}`);
  });
});

it('api §5: Tokens: "Revoke a token."', async () => {
  const { token, secret } = (await send('POST', '/tokens', {})).json<{ token: string; secret: string }>();
  world.server.secrets.add(secret);
  const ping = () => send('GET', '/ping', undefined, { key: secret });
  expect((await ping()).status).toBe(200);
  expect((await send('DELETE', `/tokens/${token}`)).status).toBe(200);
  expectErrorAnswer(await ping(), 'authentication_failed');
});

describe('api §6: Account and platform', () => {
  it('"Distinct labels in use across the account."', async () => {
    const { key } = await world.server.account('pro');
    await world.publish(HOME, { key, fields: { labels: '["one","two"]' } });
    await send('PUT', '/domains/www.labelled.dev', { labels: ['two', 'three'] }, { key });
    const { labels } = (await send('GET', '/labels', undefined, { key })).json<{ labels: string[] }>();
    expect(labels.toSorted()).toEqual(['one', 'three', 'two']);
  });

  it('"Plan-based platform limits (max file size, file count, total size)."', async () => {
    const limits = async (plan: string) =>
      (await send('GET', '/limits', undefined, { key: (await world.server.account(plan)).key })).json<
        Record<string, number>
      >();
    const [free, team] = [await limits('free'), await limits('team')];
    for (const name of ['maxFileSize', 'maxFilesCount', 'maxTotalSize'])
      expect(team[name]).toBeGreaterThan(free[name]!);
  });

  it('"Plans on sale, in display order, under the key `plans`"', async () => {
    const { plans } = (await send('GET', '/plans', undefined, { key: null })).json<{ plans: { name: string }[] }>();
    expect(plans.map(({ name }) => name)).toEqual(['Free', 'Pro', 'Team', 'Scale']);
  });

  it('"Claim a public deployment. Body `{ claim: <claim_hash> }`. Returns the claimed deployment."', async () => {
    const { deployment, hash } = await world.publishAnonymous();
    expect((await send('POST', '/account/claim', { claim: hash })).json()).toMatchObject({ deployment });
  });

  it('"Answers 301 as an alias of `/limits`"', async () => {
    const { status, headers } = await send('GET', '/config');
    expect([status, headers['location']]).toEqual([301, '/limits']);
  });
});

describe('api §1: Pagination', () => {
  const LISTS = ['deployments', 'domains', 'tokens', 'activities'] as const;
  const COUNT = 102;
  let key: string;
  type Page = { nextCursor?: string } & Record<string, object[]>;
  const page = async (list: string, query = '') =>
    (await send('GET', `/${list}${query}`, undefined, { key })).json<Page>();

  beforeAll(async () => {
    const made = await world.server.account('scale');
    ({ key } = made);
    // A little more than a page of each, inserted directly: other tests create them with the API.
    const insert = (sql: string) => world.server.database.query(sql, [made.account, COUNT]);
    const { deployment } = await world.publish(HOME, { key });
    const copied = (
      await world.server.database.query<{ name: string }>(
        `select column_name as name from information_schema.columns where table_name = 'deployment' and column_name <> 'id'`,
      )
    )
      .map(({ name }) => `"${name}"`)
      .join();
    await world.server.database.query(
      `insert into deployment (id, ${copied}) select 'calm-otter-' || lpad(n::text, 7, '0'), ${copied}
       from deployment, generate_series(2, $2::int) n where id = $1`,
      [deployment, COUNT],
    );
    await insert(`update account set deployment_count = $2 where id = $1`);
    await insert(`insert into domain (account_id, name, kind, status, labels, created, verified, checks)
      select $1, 'page-' || n || '.sites.test', 'platform', 'success', '{}', now(), now(), '[]' from generate_series(1, $2::int) n`);
    await insert(`insert into token (account_id, token, kind, secret_hash, last4, labels, created)
      select $1, lpad(n::text, 7, '0'), 'deploy', sha256(n::text::bytea), '0000', '{}', now() from generate_series(1, $2::int - 2) n`);
    await insert(`insert into activity (account_id, event, auth_method, created, meta)
      select $1, 'account.update', 'operator', now(), '{}' from generate_series(1, $2::int - (select count(*)::int from activity where account_id = $1)) n`);
  });

  it.each(LISTS)(
    '"`/deployments`, `/domains`, `/tokens` and `/activities` are cursor-paginated." /%s',
    async (list) => {
      const seen: string[] = [];
      let cursor = '';
      for (;;) {
        const { [list]: rows = [], nextCursor } = await page(list, `?limit=40${cursor}`);
        seen.push(...rows.map((row) => JSON.stringify(row)));
        if (nextCursor === undefined) break;
        cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
      }
      expect(seen).toHaveLength(COUNT);
      if (list !== 'activities') expect(new Set(seen).size).toBe(COUNT);
    },
  );

  it.each(LISTS)(
    '"A response carries `nextCursor` while more pages exist; pass it as `cursor` to get the next page." /%s',
    async (list) => {
      const [first, whole] = [await page(list, '?limit=51'), await page(list, '?limit=100')];
      const second = await page(list, `?limit=49&cursor=${first.nextCursor}`);
      expect([...first[list]!, ...second[list]!]).toEqual(whole[list]);
    },
  );

  it.each(LISTS)('"`nextCursor` is absent on the final page." /%s', async (list) => {
    const { nextCursor } = await page(list, '?limit=100');
    const last = await page(list, `?cursor=${nextCursor}`);
    expect([last[list]!.length, 'nextCursor' in last]).toEqual([COUNT - 100, false]);
  });

  it.each(LISTS)('"Default page size is 50" /%s', async (list) => {
    expect((await page(list))[list]).toHaveLength(50);
  });

  it.each(LISTS)('"`limit` overrides it and is capped at 100." /%s', async (list) => {
    for (const [limit, length] of [
      [1, 1],
      [100, 100],
      [101, 100],
      [5_000, 100],
    ])
      // prettier-ignore
      expect((await page(list, `?limit=${limit}`))[list]).toHaveLength(length!);
    for (const limit of ['0', '-1', '1.5', 'ten', ''])
      expectErrorAnswer(await send('GET', `/${list}?limit=${limit}`, undefined, { key }), 'validation_failed');
  });

  it('"`cursor` (string, from a previous `nextCursor`)": any other value is refused', async () => {
    expectErrorAnswer(await send('GET', '/deployments?cursor=abc', undefined, { key }), 'validation_failed');
  });
});

it('api §2: Deletion semantics: "Only deployment deletion is asynchronous (202). All other deletes are synchronous (200)."', async () => {
  for (const row of ENDPOINTS.filter(([method]) => method === 'DELETE'))
    expect((await call(row, world.mine.key)).status, row[1]).toBe(row[1] === '/deployments/{deployment}' ? 202 : 200);
});
