import { startAnswering, unreachableAddress } from '@berth/testing/fake-servers';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { createUser, envOf } from './user.ts';

interface Row {
  name: string;
  status: 'ok' | 'warning' | 'failed';
  message: string;
  next: string | null;
}

const server = useServer();
const elsewhere = useServer({ env: { PLATFORM_DOMAIN: 'localhost:1' } });

/** Runs `berth check --json`, and returns the checks by their names. */
async function check(env: Record<string, string>) {
  const { code, out } = await createUser(env).runInProcess('check', '--json');
  const rows = (JSON.parse(out) as { checks: Row[] }).checks;
  return { code, rows: Object.fromEntries(rows.map((row) => [row.name, row])), names: rows.map(({ name }) => name) };
}

/** Starts a server that responds like Berth to the requests without a key, except for the given fields. */
const startLike = ({ health = { status: 'ok' } as unknown, version = '0.1.0', date = new Date() }) =>
  startAnswering((req, res) => {
    res.setHeader('Date', date.toUTCString()).setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify(req.url === '/healthz' ? health : { info: { title: 'Berth', version } }));
  });

describe('berth check', () => {
  it('checks everything for an API key', async () => {
    const { key } = await server().account('pro');
    await server().publish({ 'index.html': 'hi' }, { key });
    const { code, rows, names } = await check(envOf(server(), key));
    expect(code).toBe(0);
    expect(names).toEqual(['berth', 'server', 'version', 'clock', 'key', 'access', 'plan', 'sites']);
    expect(new Set(Object.values(rows).map(({ status }) => status))).toEqual(new Set(['ok']));
    expect(rows['key']!.message).toContain(`…${key.slice(-4)} of `);
    expect(rows['sites']!.message).toBe(`http://*.localhost:${server().port}, which only this machine can open`);
  });

  it('says what a deploy token and a missing key can do', async () => {
    const { deployToken } = await server().account();
    const token = await check(envOf(server(), deployToken));
    expect(token).toMatchObject({
      code: 0,
      rows: { access: { status: 'ok', message: expect.stringMatching(/^deploy token/) } },
    });
    const anonymous = await check(envOf(server(), ''));
    expect(anonymous.code).toBe(0);
    expect(anonymous.rows['key']).toMatchObject({ status: 'warning', next: 'To sign in: berth login' });
  });

  it('warns of a plan that is nearly full, and of domains without DNS records', async () => {
    const { account, key } = await server().account('pro');
    await server().database.query(`update account set plan = 'free' where id = $1`, [account]);
    const { deployment } = await server().publish({ 'index.html': 'hi' }, { key });
    for (let number = 0; number < 5; number += 1)
      await createUser(envOf(server(), key)).runInProcess('domains', 'set', `check-${number}`, deployment);
    expect((await check(envOf(server(), key))).rows['plan']).toEqual({
      name: 'plan',
      status: 'warning',
      message: 'free, with 5 of 5 platform domains in use',
      next: 'To list and delete domains: berth domains',
    });
    await server().database.query(`update account set plan = 'pro' where id = $1`, [account]);
    await createUser(envOf(server(), key)).runInProcess('domains', 'set', 'www.waits-for-dns.com', deployment);
    expect((await check(envOf(server(), key))).rows['domains']).toMatchObject({
      status: 'warning',
      message: 'DNS records are missing for www.waits-for-dns.com',
      next: 'To see what is missing: berth domains verify www.waits-for-dns.com',
    });
  });

  it('fails if the addresses of sites lead nowhere', async () => {
    const { key } = await elsewhere().account();
    await elsewhere().publish({ 'index.html': 'hi' }, { key });
    const { code, rows } = await check(envOf(elsewhere(), key));
    expect({ code, ...rows['sites'] }).toMatchObject({
      code: 5,
      status: 'failed',
      message: 'http://*.localhost:1 cannot be opened: ECONNREFUSED',
      next: 'Check that the proxy and the firewall accept connections for *.localhost.',
    });
  });

  const SERVERS: [title: string, start: () => Promise<string>, code: number, name: string, row: Partial<Row>][] = [
    [
      'a refused connection',
      unreachableAddress,
      5,
      'server',
      { status: 'failed', next: 'Start the server, or set --server.' },
    ],
    [
      'a name without a DNS record',
      async () => 'http://berth.invalid',
      5,
      'server',
      { status: 'failed', message: 'berth.invalid cannot be reached: there is no DNS record' },
    ],
    [
      'a port without TLS',
      async () => (await startLike({})).replace('http:', 'https:'),
      5,
      'server',
      { status: 'failed', next: expect.stringMatching(/^Use --server http:\/\/127\.0\.0\.1:\d+$/) },
    ],
    [
      'another server',
      () => startLike({ health: 'hello' }),
      1,
      'server',
      { status: 'failed', message: expect.stringMatching(/is not from a Berth server\.$/) },
    ],
    [
      'a newer server',
      () => startLike({ version: '2.0.0' }),
      0,
      'version',
      { status: 'warning', message: 'the server is Berth 2.0.0, this is berth 0.1.0', next: 'Update berth.' },
    ],
    [
      'an older server',
      () => startLike({ version: '0.0.9' }),
      0,
      'version',
      { status: 'warning', next: 'Update the server.' },
    ],
    [
      'a server whose clock is behind',
      () => startLike({ date: new Date(Date.now() - 7_200_000) }),
      0,
      'clock',
      { status: 'warning', message: expect.stringMatching(/^this machine is 2(\.0)? h ahead of the server$/) },
    ],
  ];

  it.each(SERVERS)('finds %s, and says what to do', async (_, start, code, name, row) => {
    const found = await check({ BERTH_SERVER: await start() });
    expect({ code: found.code, row: found.rows[name] }).toEqual({ code, row: expect.objectContaining(row) });
    if (code !== 0) expect(found.names).toEqual(['berth', 'server']);
  });

  it('finds a proxy that Node ignores', async () => {
    const { rows } = await check({ BERTH_SERVER: 'http://berth.invalid', HTTP_PROXY: 'http://proxy.example:3128' });
    expect(rows['server']).toMatchObject({
      message: 'berth.invalid cannot be reached: HTTP_PROXY is set, and Node ignores it',
      next: 'To use the proxy, set NODE_USE_ENV_PROXY=1.',
    });
  });

  it('finds a key that the server does not accept, and skips what needs the key', async () => {
    const { code, rows, names } = await check(envOf(server(), `ship-${'f'.repeat(32)}`));
    expect(code).toBe(3);
    expect(names.at(-1)).toBe('key');
    expect(rows['key']).toMatchObject({ status: 'failed', next: expect.stringMatching(/^The key in BERTH_KEY/) });
  });

  it('prints lines of at most 80 columns, and what to do below each problem', async () => {
    const { out, err } = await createUser({ BERTH_SERVER: 'http://berth.invalid' }).runInProcess('check');
    expect(out).toMatch(/^failed {3}server {3}berth\.invalid cannot be reached: there is no DNS record$/m);
    expect(out).toMatch(/^ {18}Check the spelling of the address, or set --server\.$/m);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(err).toBe('Error: 1 check failed.\n');
  });
});
