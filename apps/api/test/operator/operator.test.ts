import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runBerth, spawnBerth, wordsOf } from './run-berth.ts';

const PAGE = { 'index.html': '<h1>Ahoy</h1>' };

const server = useServer({ env: { DEFAULT_PLAN: 'team' } });
let env: Record<string, string>;
let email: string;
beforeAll(async () => {
  const PORT = String(server().port);
  env = testEnvironment(server().database, server().dataDir, { PORT, DEFAULT_PLAN: 'team', SWEEP_GRACE: '0s' });
});
beforeEach(() => {
  email = `${randomUUID().slice(0, 8)}@example.com`;
});

/** Runs a command that must succeed. @returns The output of the command. */
async function run(...words: string[]): Promise<string> {
  const { code, out, err } = await runBerth(env, ...words);
  await server().berth.core.database.changes.catchUp();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}
const runJson = async <T = Record<string, unknown>>(...words: string[]) =>
  JSON.parse(await run(...words, '--json')) as T;

async function createAccount(...options: string[]): Promise<{ account: string; key: string }> {
  const { account } = await runJson<{ account: string }>('accounts', 'create', email, ...options);
  const { key } = await runJson<{ key: string }>('keys', 'create', account);
  server().secrets.add(key);
  return { account, key };
}

it('the operator commands in the README succeed one after another', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../../../README.md'), 'utf8');
  const lines = [...readme.matchAll(/^npm run berth -- (.*)$/gm)].map(([, line]) => line!);
  expect(lines.length).toBeGreaterThan(5);
  const { deployment } = await server().publish(PAGE);
  for (const line of lines) {
    const words = wordsOf(line.replace(/calm-otter-\w{7}/, deployment));
    const { code, out, err } = await runBerth(
      env,
      ...words.map((word) => (word.endsWith('.tar') ? join(server().dataDir, word) : word)),
    );
    if (line.startsWith('keys create')) server().secrets.add(out.trim());
    expect({ line, code, err }).toEqual({ line, code: 0, err: '' });
  }
});

it('api §8: a process exits with 1 and prints one line for an unknown account', async () => {
  expect(await spawnBerth(env, 'accounts', 'show', 'unknown@example.com')).toEqual({
    code: 1,
    out: '',
    err: 'There is no such account: unknown@example.com.\n',
  });
});

describe('api §8: the accounts commands', () => {
  it('api §10: create accounts on DEFAULT_PLAN by default, and only one per e-mail address', async () => {
    expect(await run('accounts', 'create', email, '--name', 'Ada')).toMatch(
      /^Created account acc-\w{14} of .* on plan team\./,
    );
    const key = await run('keys', 'create', email);
    expect(key).toMatch(/^ship-[0-9a-f]{32}\n$/);
    server().secrets.add(key.trim());
    const response = await server().api('/account', { key: key.trim() });
    expect(response.json()).toMatchObject({ email, name: 'Ada', plan: 'team', hint: key.trim().slice(-4) });
    const secondAttempt = await runBerth(env, 'accounts', 'create', email.toLowerCase(), '--plan', 'free');
    expect(secondAttempt).toMatchObject({ code: 1, out: '', err: `${email} already has an account.\n` });
    const unknownPlan = await runBerth(env, 'accounts', 'create', `x${email}`, '--plan', 'huge');
    expect(unknownPlan).toMatchObject({ code: 1, err: '"huge" is not a plan; use one of free, pro, team, scale.\n' });
  });

  it('list and show accounts, for people and as JSON', async () => {
    const { account } = await createAccount('--plan', 'pro', '--period', 'year');
    const lines = (await run('accounts', 'list')).split('\n');
    expect(lines[0]).toMatch(/^ACCOUNT +EMAIL +PLAN +STATE +DEPLOYMENTS +SIZE +LAST CHANGE +CREATED$/);
    const line = lines.find((each) => each.startsWith(account))!;
    expect(line.indexOf(email)).toBe(lines[0]!.indexOf('EMAIL'));
    const { accounts } = await runJson<{ accounts: { account: string }[] }>('accounts', 'list');
    expect(accounts.find((each) => each.account === account)).toEqual({
      account,
      email,
      name: null,
      plan: 'pro',
      state: 'active',
      deployments: 0,
      storage: 0,
      created: expect.any(Number),
      changed: expect.any(Number),
    });
    expect(await run('accounts', 'show', email)).toMatch(/^Custom domains +0 of 10$/m);
    expect(await runJson('accounts', 'show', account)).toEqual({
      account,
      email,
      name: null,
      plan: 'pro',
      state: 'active',
      stateReason: null,
      period: 'year',
      periodEnds: expect.any(Number),
      scheduled: null,
      usage: { deployments: 0, platformDomains: 0, customDomains: 0, seats: 1, storage: 0 },
      caps: { deployments: 1_000, platformDomains: 50, customDomains: 10, seats: 1, storage: 50 * 1024 ** 3 },
      created: expect.any(Number),
      hint: expect.stringMatching(/^[0-9a-f]{4}$/),
    });
  });

  it.each([
    ['suspend', [], 'suspended', 503],
    ['terminate', ['--yes'], 'terminated', 404],
  ] as const)('api §6: %s an account at once, and activate it again', async (verb, options, state, status) => {
    const { key } = await createAccount();
    const { url } = await server().publish(PAGE, { key });
    expect(await run('accounts', verb, email, ...options)).toContain(`was active and is now ${state}.`);
    expect((await server().api('/account', { key })).status).toBe(403);
    expect((await server().deploy(PAGE, { key })).status).toBe(403);
    expect((await server().visit(url)).status).toBe(status);
    expect(await run('accounts', verb, email, ...options)).toContain(`is already ${state}.`);
    await run('accounts', 'activate', email);
    expect((await server().api('/account', { key })).status).toBe(200);
    expect((await server().visit(url)).status).toBe(200);
  });
});

it('api §6: accounts suspend --reason shows the members why', async () => {
  const { key } = await createAccount();
  await run('accounts', 'suspend', email, '--reason', ' Phishing, reported 3 May ');
  const refusal = (await server().api('/account', { key })).json<{ message: string }>();
  expect(refusal.message).toBe('This account is suspended: Phishing, reported 3 May');
  expect(await run('accounts', 'show', email)).toContain('suspended: Phishing, reported 3 May');
  expect(await run('accounts', 'suspend', email, '--reason', 'Spam')).toContain('is suspended for a new reason.');
  expect(await runBerth(env, 'accounts', 'suspend', email, '--reason', '')).toMatchObject({ code: 2 });
});

it('api §8: accounts delete removes an account with its sites and keys, and needs --yes', async () => {
  const { account, key } = await createAccount();
  const { deployment } = await server().publish(PAGE, { key });
  expect(await runBerth(env, 'accounts', 'delete', email)).toMatchObject({ code: 2 });
  expect((await server().visit(deployment)).status).toBe(200);
  expect(await run('accounts', 'delete', email, '--yes')).toBe(`Account ${account} was deleted.\n`);
  expect((await server().visit(deployment)).status).toBe(404);
  expect((await server().api('/account', { key })).status).toBe(401);
  const owner = await runBerth(env, 'accounts', 'delete', 'owner@localhost', '--yes');
  expect(owner).toMatchObject({ code: 1, err: expect.stringContaining('The account of OWNER_EMAIL') });
});

it('api §8: sites list names deployments of all accounts with their size, the largest first if asked for', async () => {
  const { account, key } = await createAccount();
  const small = await server().publish({ 'index.html': 'small' }, { key });
  const large = await server().publish({ 'index.html': 'large'.repeat(500) }, { key });
  const anonymous = await server().publish(PAGE, { key: null });
  await run('sites', 'take-down', small.deployment, '--reason', 'Phishing');
  const rows = (await run('sites', 'list', '--account', email)).trimEnd().split('\n');
  expect(rows.map((row) => row.split(/ {2,}/).slice(0, 5))).toEqual([
    ['DEPLOYMENT', 'ACCOUNT', 'STATE', 'FILES', 'SIZE'],
    [large.deployment, account, 'success', '1', '2.4 KiB'],
    [small.deployment, account, 'taken-down', '1', '5 bytes'],
  ]);
  const { sites } = await runJson<{ sites: object[] }>('sites', 'list', '--largest', '--limit', '1');
  expect(sites).toHaveLength(1);
  const all = await runJson<{ sites: { deployment: string; account: string | null }[] }>('sites', 'list');
  expect(all.sites.find((site) => site.deployment === anonymous.deployment)).toMatchObject({
    account: null,
    address: '127.0.0.1',
    size: 13,
    files: 1,
    changed: anonymous.created,
  });
  expect(all.sites.find((site) => site.deployment === small.deployment)).toMatchObject({
    status: 'taken-down',
    reason: 'Phishing',
  });
  expect(await runBerth(env, 'sites', 'list', '--limit', '0')).toMatchObject({ code: 2 });
});

it('api §8: domains list names the domains of all accounts with the size of their sites', async () => {
  const { account, key } = await createAccount();
  const { deployment } = await server().publish(PAGE, { key });
  const [linked, empty] = ['a', 'b'].map((prefix) => `${prefix}${account.slice(4)}.localhost`);
  for (const [name, json] of [
    [empty, {}],
    [linked, { deployment }],
  ] as const)
    await server().api(`/domains/${name}`, { method: 'PUT', key, json });
  const rows = (await run('domains', 'list', '--account', account)).trimEnd().split('\n');
  expect(rows.map((row) => row.split(/ {2,}/).slice(0, 5))).toEqual([
    ['DOMAIN', 'ACCOUNT', 'STATUS', 'DEPLOYMENT', 'SIZE'],
    [linked, account, 'success', deployment, '13 bytes'],
    [empty, account, 'success', '-', '-'],
  ]);
});

describe('api §6, §8: the plans commands', () => {
  it('list the plans with their caps', async () => {
    expect(await run('plans', 'list')).toMatch(/^pro +Pro +\$9\.00 +\$90\.00 +1000 +50 +10 +1 +50 GiB$/m);
    const { plans } = await runJson<{ plans: { plan: string }[] }>('plans', 'list');
    expect(plans.map(({ plan }) => plan)).toEqual(['free', 'pro', 'team', 'scale']);
  });

  it('upgrade an account at once, and downgrade it at the end of the period or with --now', async () => {
    const { account, key } = await createAccount('--plan', 'free');
    const currentPlan = async () => (await server().api('/account', { key })).json()['plan'];
    expect(await run('plans', 'set', email, 'scale')).toContain('from free to scale.');
    expect(await currentPlan()).toBe('scale');
    expect(await run('plans', 'set', email, 'pro')).toMatch(
      /stays on scale and changes to pro on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\./,
    );
    const { scheduled } = await runJson<{ scheduled: { plan: string; due: number } }>('accounts', 'show', account);
    expect(scheduled).toEqual({ plan: 'pro', due: expect.any(Number) });
    expect(await runJson('plans', 'set', account, 'pro')).toEqual({
      account,
      outcome: 'scheduled',
      from: 'scale',
      to: 'pro',
      due: scheduled.due,
      paused: [],
      resumed: [],
    });
    expect(await run('plans', 'set', email, 'scale')).toContain(
      'stays on scale; the scheduled downgrade is cancelled.',
    );
    expect(await run('plans', 'set', email, 'scale')).toContain('is already on scale.');
    await run('plans', 'set', email, 'free', '--now');
    expect(await currentPlan()).toBe('free');
    const unknownPlan = await runBerth(env, 'plans', 'set', email, 'huge');
    expect(unknownPlan).toMatchObject({ code: 1, err: expect.stringContaining('one of free, pro, team, scale') });
  });

  it('api §6: schedule downgrades; the sweep command applies them when they are due, and pauses domains', async () => {
    const { account, key } = await createAccount('--plan', 'pro');
    const domains = ['a', 'b'].map((name) => `${name}.${account}.com`);
    for (const domain of domains)
      expect((await server().api(`/domains/${domain}`, { method: 'PUT', key, json: {} })).status).toBe(201);
    await run('plans', 'set', account, 'free');
    await server().database.query(`update plan_change set due = now() where account_id = $1`, [account]);
    expect(await run('sweep')).toContain('applied 1 plan changes.');
    expect((await server().api('/account', { key })).json()).toMatchObject({ plan: 'free' });
    expect(await run('plans', 'set', account, 'pro')).toContain(`Resumed: ${domains.join(', ')}`);
  });
});

it('api §8: the keys commands list keys without their secret, and revoke a key with effect on the next request', async () => {
  const { key } = await createAccount();
  const secondKey = (await run('keys', 'create', email)).trim();
  server().secrets.add(secondKey);
  const list = await run('keys', 'list', email);
  expect(list).not.toMatch(/ship-/);
  const { tokens } = await runJson<{ tokens: { token: string; kind: string }[] }>('keys', 'list', email);
  expect(tokens).toMatchObject([{ kind: 'api' }, { kind: 'api', used: null }]);
  await run('keys', 'revoke', email, tokens[1]!.token);
  expect((await server().api('/ping', { key })).status).toBe(401);
  const { activities } = (await server().api('/activities', { key: secondKey })).json<{ activities: object[] }>();
  expect(activities[0]).toMatchObject({ event: 'token.delete', authMethod: 'operator', token: tokens[1]!.token });
  const secondAttempt = await runBerth(env, 'keys', 'revoke', email, tokens[1]!.token);
  expect(secondAttempt).toMatchObject({ code: 1, err: 'There is no such token.\n' });
});

it('api §6, §8: the members commands add, list and remove members', async () => {
  await createAccount();
  expect(await run('members', 'add', email, 'grace@example.com')).toContain('grace@example.com is now a member');
  const { members } = await runJson<{ members: object[] }>('members', 'list', email);
  expect(members).toMatchObject([
    { email, role: 'owner' },
    { email: 'grace@example.com', role: 'member' },
  ]);
  expect(await run('members', 'list', email)).toMatch(/^grace@example\.com +member +\d{4}-/m);
  await run('members', 'remove', email, 'grace@example.com');
  expect(await runBerth(env, 'members', 'remove', email, email)).toMatchObject({ code: 1, out: '' });
});

it('api §6, §8: the sites commands take a site down, so that it responds with 451, and restore it unchanged', async () => {
  const { key } = await createAccount();
  const { deployment, url } = await server().publish(PAGE, { key });
  expect(await run('sites', 'take-down', url, '--reason', 'Phishing')).toBe(`${deployment} was taken down.\n`);
  expect((await server().visit(url)).status).toBe(451);
  const { activities } = (await server().api('/activities', { key })).json<{ activities: object[] }>();
  expect(activities[0]).toMatchObject({
    event: 'deployment.update',
    deployment,
    meta: { takenDown: true, reason: 'Phishing' },
  });
  expect(await run('sites', 'take-down', deployment)).toBe(`${deployment} is already taken down.\n`);
  expect(await run('sites', 'put-back', deployment)).toBe(`${deployment} was restored.\n`);
  expect((await server().visit(url)).text).toBe(PAGE['index.html']);
  expect(await runBerth(env, 'sites', 'put-back', 'calm-otter-0000000')).toMatchObject({
    code: 1,
    err: 'There is no such deployment.\n',
  });
});

it('api §8: the sweep command removes the files of deleted deployments, and reports how many', async () => {
  const { key } = await createAccount();
  const { deployment } = await server().publish({ 'index.html': randomUUID() }, { key });
  await server().api(`/deployments/${deployment}`, { method: 'DELETE', key });
  expect(await runJson('sweep')).toEqual({
    expired: 0,
    deployments: 1,
    packs: 1,
    compacted: 0,
    fenced: true,
    planChanges: 0,
  });
  expect(await run('sweep')).toBe(
    'Expired 0 deployments, removed 0 deployments and 0 packs, compacted 0 packs, applied 0 plan changes.\n',
  );
});

describe('api §8, T36: the doctor command', () => {
  it('T13: finds no problem except the limits of a development setup', async () => {
    const { code, out } = await runBerth(env, 'doctor');
    expect(code).toBe(0);
    expect(out).toMatch(/advice: localhost is only suitable for trying things out/);
    expect(out).toMatch(/\n\nFound: 1 advice\.\n$/);
    const publicAddresses = { ...env, BASE_URL: 'https://api.example.com', PLATFORM_DOMAIN: 'sites.example.net' };
    expect((await runBerth(publicAddresses, 'doctor')).out).toMatch(
      /Sites are under example\.net, the API is not.*\n\nNo problems found\.\n$/s,
    );
  });

  it('exits with 1 if there is drift, and with 0 once it is fixed', async () => {
    const { account } = await createAccount();
    await server().database.query('update account set deployment_count = 3 where id = $1', [account]);
    const withDrift = await runBerth(env, 'doctor');
    expect(withDrift).toMatchObject({
      code: 1,
      out: expect.stringContaining(`drift: Account ${account} counts 3 deployments and has 0.`),
    });
    const afterFix = await runBerth(env, 'doctor', '--fix');
    expect(afterFix).toMatchObject({ code: 0, out: expect.stringContaining(`fixed: Account ${account} counts`) });
    expect((await runBerth(env, 'doctor')).code).toBe(0);
  });

  it('finds an inverted bit in a pack and names the affected deployments, as a separate process', async () => {
    const { key } = await createAccount();
    const { deployment } = await server().publish({ 'index.html': randomUUID() }, { key });
    const [{ pack }] = (await server().database.query<{ pack: string }>(
      'select pack_id as pack from deployment_pack where deployment_id = $1',
      [deployment],
    )) as [{ pack: string }];
    const file = join(server().dataDir, 'packs', pack.slice(0, 1), `${pack}.pack`);
    const bytes = await readFile(file);
    bytes[0]! ^= 1;
    await writeFile(file, bytes);
    const { code, out, err } = await spawnBerth(env, 'doctor', '--fix', '--json');
    expect({ code, err }).toEqual({ code: 1, err: '' });
    const { sound, findings } = JSON.parse(out) as { sound: boolean; findings: { severity: string }[] };
    expect(sound).toBe(false);
    expect(findings.filter(({ severity }) => severity !== 'advice')).toEqual([
      {
        check: 'contents',
        severity: 'damage',
        message: expect.stringContaining('the bytes do not match the hash.'),
        fixed: false,
        pack,
        content: expect.stringMatching(/^[0-9a-f]{64}$/),
        deployments: [deployment],
      },
    ]);
    expect((await runBerth(env, 'doctor')).out).toContain(`    Affected deployments: ${deployment}.\n`);
  });
});
