import type { Account, Deployment } from '@berth/contract';
import { sweep } from '@berth/core/jobs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectErrorAnswer } from '../standing-asserts.ts';
import { BASE_URL, CLAIM_URL, DAY_SECONDS, HOME, PASSWORD, PLATFORM_DOMAIN, startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => void (world = await startWorld({ free: { limits: { maxFileSize: 1_000 } } })));
afterAll(() => world.close());

const send: World['send'] = (...args) => world.send(...args);

describe('api §3: publishing', () => {
  it('"The service publishes static sites and serves them."', async () => {
    const { url } = await world.publish({ 'index.html': 'home', 'docs/a.txt': 'a' });
    for (const [path, text] of [
      ['/', 'home'],
      ['/docs/a.txt', 'a'],
    ] as const)
      expect(await world.visit(new URL(path, url).href)).toMatchObject({ status: 200, text });
  });

  it('"A client uploads a set of files as one deployment."', async () => {
    expect(await world.publish({ a: '1', b: '2', c: '3' })).toMatchObject({ files: 3, size: 3 });
  });

  it('"The service returns a deployment id and a public URL of the form `https://<deployment_id>.{platform_domain}`."', async () => {
    const { deployment, url } = await world.publish();
    expect(url).toBe(`https://${deployment}.${PLATFORM_DOMAIN}`);
  });

  it('"Anything the web console, command-line client and software development kits do is available through this API."', async () => {
    const { paths } = (await send('GET', '/openapi.json', undefined, { key: null })).json<{ paths: object }>();
    for (const path of ['/deployments', '/domains/{domain}', '/tokens', '/account', '/activities', '/plans'])
      expect(paths).toHaveProperty([path]);
  });
});

describe('api §3: without an account', () => {
  it('"Publishing needs no account."', async () => {
    expect((await world.deploy(HOME, { key: null })).status).toBe(201);
  });

  it('"A deployment made without credentials is public"', async () => {
    const site = await world.publishAnonymous();
    expect(site.password).toBe(false);
    expect((await world.visit(site.url)).text).toBe(HOME['index.html']);
  });

  it('"follows the Free plan limits"', async () => {
    const files = { 'large.bin': Buffer.alloc(1_001) };
    const body = expectErrorAnswer(await world.deploy(files, { key: null }), 'payload_too_large');
    expect(body.details).toMatchObject({ limit: 'maxFileSize', max: 1_000 });
    expect((await world.deploy(files)).status).toBe(201);
  });

  it('"and expires 3 days after creation unless it is claimed"', async () => {
    const [left, claimed] = [await world.publishAnonymous(), await world.publishAnonymous()];
    expect(left.expires! - left.created).toBe(3 * DAY_SECONDS);
    expect((await send('POST', '/account/claim', { claim: claimed.hash })).status).toBe(200);
    const statuses = async () => [(await world.visit(left.url)).status, (await world.visit(claimed.url)).status];
    expect(await world.later(3 * DAY_SECONDS - 60, statuses)).toEqual([200, 200]);
    expect(await world.later(3 * DAY_SECONDS + 1, statuses)).toEqual([404, 200]);
  });

  it('"The response to an anonymous deploy carries a claim URL."', async () => {
    const { claim, hash } = await world.publishAnonymous();
    expect(claim).toBe(`${CLAIM_URL}/${hash}`);
    expect(hash).toMatch(/^[0-9a-f]{32}$/);
  });

  it('"A signed-in user who visits it, […] transfers the deployment to their account and keeps it permanently."', async () => {
    const { deployment, hash } = await world.publishAnonymous();
    const page = await send('GET', `/claim/${hash}`, undefined, { key: null, headers: { Accept: 'text/html' } });
    expect([page.status, page.text.includes('<form')]).toEqual([200, true]);
    const sent = await send('POST', `/claim/${hash}`, undefined, {
      key: null,
      headers: { Accept: 'text/html', Origin: BASE_URL, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ key: world.mine.key }).toString(),
    });
    expect(sent.status).toBe(200);
    expect((await send('GET', `/deployments/${deployment}`)).json()).not.toHaveProperty('expires');
  });

  it('"or who posts its claim hash to `/account/claim`, transfers the deployment to their account and keeps it permanently."', async () => {
    const { deployment, url, hash } = await world.publishAnonymous();
    expectErrorAnswer(await send('GET', `/deployments/${deployment}`), 'not_found');
    const claimed = (await send('POST', '/account/claim', { claim: hash })).json<Deployment>();
    expect(claimed.deployment).toBe(deployment);
    expect(claimed).not.toHaveProperty('expires');
    await world.later(400 * DAY_SECONDS, async () => {
      await sweep(world.server.berth.core);
      expect((await world.visit(url)).status).toBe(200);
      expect((await send('GET', `/deployments/${deployment}`)).json()).toEqual(claimed);
    });
  });
});

describe('api §3: passwords and labels', () => {
  it('"A deployment may be protected by a password, which puts an unlock page in front of the site."', async () => {
    const { url } = await world.publish(HOME, { fields: { password: PASSWORD } });
    const locked = await world.visit(url);
    expect([locked.status, locked.text.includes('type="password"'), locked.text.includes('Home')]).toEqual([
      401,
      true,
      false,
    ]);
    const opened = await world.visit(`${url}/.berth/unlock`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-For': '198.51.100.7' },
      body: new URLSearchParams({ password: PASSWORD }).toString(),
    });
    expect(opened.status).toBe(303);
    const [cookie] = opened.headers['set-cookie'] as string[];
    expect((await world.visit(url, { headers: { Cookie: cookie!.split(';')[0]! } })).text).toBe(HOME['index.html']);
  });

  it('"The password can never be read back through the API; responses carry only `password: boolean`."', async () => {
    const created = await world.deploy(HOME, { fields: { password: PASSWORD } });
    const { deployment } = created.json<Deployment>();
    const answers = [created];
    for (const path of [`/deployments/${deployment}`, '/deployments', '/activities', '/account'])
      answers.push(await send('GET', path));
    for (const { text } of answers) expect(text).not.toContain(PASSWORD);
    for (const { text } of answers.slice(0, 3)) expect(text).toContain('"password":true');
  });

  it('"Deployments can carry labels."', async () => {
    expect((await world.publish(HOME, { fields: { labels: '["blue","green"]' } })).labels).toEqual(['blue', 'green']);
  });
});

describe('api §4: domains', () => {
  it('"a platform domain (for example `<name>.{platform_domain}`) or a custom domain (for example `www.<your-domain>`) can be created"', async () => {
    for (const name of [`bakery.${PLATFORM_DOMAIN}`, 'www.bakery.dev'])
      expect((await send('PUT', `/domains/${name}`, {})).status).toBe(201);
  });

  it('"linked to a deployment, switched to another deployment, labelled"', async () => {
    const [one, other] = [await world.publish({ 'index.html': '1' }), await world.publish({ 'index.html': '2' })];
    const name = `switched.${PLATFORM_DOMAIN}`;
    const show = async () => (await world.visit(`https://${name}/`)).text;
    await send('PUT', `/domains/${name}`, { deployment: one.deployment });
    expect(await show()).toBe('1');
    await send('PUT', `/domains/${name}`, { deployment: other.deployment });
    expect(await show()).toBe('2');
    expect((await send('PUT', `/domains/${name}`, { labels: ['shop'] })).json()).toMatchObject({ labels: ['shop'] });
  });

  it('"validated and verified through DNS"', async () => {
    const { deployment } = await world.publish();
    expect((await send('POST', '/domains/validate', { domain: 'www.pastry.dev' })).json()).toMatchObject({
      valid: true,
      available: true,
    });
    await world.serveAt('www.pastry.dev', deployment);
    expect((await world.visit('https://www.pastry.dev/')).text).toBe(HOME['index.html']);
  });

  it('"The service reports the DNS provider that hosts a domain and the DNS records that must be added, and gives a shareable DNS setup link."', async () => {
    const name = 'www.cakes.dev';
    world.dns.zone.set('cakes.dev', { NS: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'] });
    await send('PUT', `/domains/${name}`, {});
    expect((await send('GET', `/domains/${name}/dns`)).json()).toEqual({
      domain: name,
      dns: { provider: { name: 'Cloudflare' } },
    });
    expect((await send('GET', `/domains/${name}/records`)).json()).toMatchObject({
      records: [{ type: 'CNAME', name }],
    });
    const { url } = (await send('GET', `/domains/${name}/share`)).json<{ url: string }>();
    const page = await send('GET', new URL(url).pathname, undefined, { key: null });
    expect([page.status, page.text.includes(name)]).toEqual([200, true]);
  });
});

describe('api §6: accounts and plans', () => {
  it('"scoped deploy tokens and full-access API keys authenticate requests"', async () => {
    for (const kind of ['deploy', 'api']) {
      const { secret } = (await send('POST', '/tokens', { kind })).json<{ secret: string }>();
      world.server.secrets.add(secret);
      expect((await send('GET', '/ping', undefined, { key: secret })).status).toBe(200);
      expect((await send('GET', '/account', undefined, { key: secret })).status).toBe(kind === 'api' ? 200 : 403);
    }
  });

  it.each<[string, string, string[]]>([
    ['the account, its plan, its usage and caps', '/account', ['account', 'plan', 'usage', 'caps']],
    ['an audit log of activities', '/activities', ['activities']],
    ['the distinct labels in use', '/labels', ['labels']],
    ['and the per-deploy platform limits', '/limits', ['maxFileSize', 'maxFilesCount', 'maxTotalSize']],
  ])('"Account: […] %s […] can be read."', async (_, path, keys) => {
    const answer = await send('GET', path);
    expect(answer.status).toBe(200);
    for (const key of keys) expect(answer.json()).toHaveProperty(key);
  });

  it('"what an account may hold and do depends on its plan"', async () => {
    const { key } = await world.server.account('free');
    const { caps } = (await send('GET', '/account', undefined, { key })).json<Account>();
    expect(caps).not.toEqual((await send('GET', '/account')).json<Account>().caps);
    expectErrorAnswer(await send('PUT', '/domains/www.free.dev', {}, { key }), 'forbidden');
    expect((await send('PUT', '/domains/www.free.dev', {})).status).toBe(201);
  });

  it('"A public endpoint lists the plans on sale."', async () => {
    const { plans } = (await send('GET', '/plans', undefined, { key: null })).json<{ plans: { plan: string }[] }>();
    expect(plans.map(({ plan }) => plan)).toEqual(['free', 'pro', 'team', 'scale']);
  });

  describe('the plan summary', () => {
    const capsOf = async (plan: string) => {
      const { plans } = (await send('GET', '/plans')).json<{
        plans: { plan: string; price: unknown; caps: Account['caps'] }[];
      }>();
      return plans.find((row) => row.plan === plan)!;
    };
    const limitsOf = async (plan: string) =>
      (await send('GET', '/limits', undefined, { key: (await world.server.account(plan)).key })).json<
        Record<string, number>
      >();

    it('Free: "Keeping sites permanently; choosing platform domains."', async () => {
      const { key } = await world.server.account('free');
      const site = await world.publish(HOME, { key });
      expect(site).not.toHaveProperty('expires');
      const name = `chosen.${PLATFORM_DOMAIN}`;
      expect((await send('PUT', `/domains/${name}`, { deployment: site.deployment }, { key })).status).toBe(201);
      expect((await world.visit(`https://${name}/`)).status).toBe(200);
    });

    it('Pro: "Custom domains, more deployments and platform domains, larger deploys."', async () => {
      const [free, pro] = [(await capsOf('free')).caps!, (await capsOf('pro')).caps!];
      expect([free.customDomains, pro.customDomains > 0]).toEqual([0, true]);
      for (const cap of ['deployments', 'platformDomains'] as const) expect(pro[cap]).toBeGreaterThan(free[cap]);
      expect((await limitsOf('pro'))['maxTotalSize']).toBeGreaterThan((await limitsOf('free'))['maxTotalSize']!);
    });

    it('Team: "Pro\'s features with higher caps, shared through seats."', async () => {
      const [pro, team] = [(await capsOf('pro')).caps!, (await capsOf('team')).caps!];
      for (const cap of ['deployments', 'platformDomains', 'customDomains', 'seats'] as const)
        expect(team[cap]).toBeGreaterThan(pro[cap]);
    });

    it('Scale: "Arranged directly, not ordered through checkout."', async () => {
      expect(await capsOf('scale')).toMatchObject({ price: 'contact', caps: null });
    });
  });
});
