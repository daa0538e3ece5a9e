import { testEnvironment } from '@berth/testing/server';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { runBerth } from '../operator/run-berth.ts';

describe('api §6: a server without plans', () => {
  const server = useServer({ env: { PLANS_FILE: 'none' } });
  const run = (...words: string[]) =>
    runBerth(
      testEnvironment(server().database, server().dataDir, { PORT: String(server().port), PLANS_FILE: 'none' }),
      ...words,
    );

  it('lists no plans, and accounts have no caps', async () => {
    expect((await server().api('/plans', { key: null })).json()).toEqual({ plans: [] });
    expect((await server().api('/account', { key: OWNER_KEY })).json()).toMatchObject({
      plan: 'unlimited',
      caps: null,
    });
  });

  it('lets an account of any earlier plan publish more than the plan allowed', async () => {
    const { key } = await server().account('free');
    const file = Buffer.alloc(25 * 1024 ** 2);
    expect((await server().deploy({ 'film.bin': file }, { key })).status).toBe(201);
  });

  it('limits anonymous deploys as the built-in plan Free does', async () => {
    const file = Buffer.alloc(21 * 1024 ** 2);
    expect((await server().deploy({ 'film.bin': file }, { key: null })).status).toBe(413);
  });

  it('shows the operator neither plans nor prices', async () => {
    expect(await run('accounts', 'create', 'ada@example.com')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Created account acc-\w{14} of ada@example\.com\. Create a key next/),
    });
    expect((await run('accounts', 'show', 'ada@example.com')).out).not.toMatch(/^(Plan|Billed|Scheduled)/m);
    expect((await run('accounts', 'list')).out).not.toContain('PLAN');
    const message = 'This server has no plans, because PLANS_FILE is "none": no account has caps.\n';
    expect(await run('plans', 'list')).toMatchObject({ code: 0, out: message });
    expect(await run('plans', 'set', 'ada@example.com', 'pro')).toMatchObject({ code: 1, err: message });
    expect(await run('accounts', 'create', 'bob@example.com', '--plan', 'pro')).toMatchObject({
      code: 1,
      err: message,
    });
  });
});
