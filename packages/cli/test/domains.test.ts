import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { createUser, envOf } from './user.ts';

const server = useServer();

/** Creates a user with a deployment, so that names without a dot are completed. */
async function createOwner() {
  const { key } = await server().account('pro');
  const { deployment } = await server().publish({ 'index.html': 'hi' }, { key });
  return { ...createUser(envOf(server(), key)), deployment };
}

describe('berth domains get', () => {
  it('shows a domain', async () => {
    const { deployment, runInProcess } = await createOwner();
    await runInProcess('domains', 'set', 'shown', deployment);
    const { code, out, err } = await runInProcess('domains', 'get', 'shown');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      new RegExp(`^url +http://shown\\.localhost:\\d+\nstatus +live\ndeployment +${deployment}$`, 'm'),
    );
  });

  it('says how to list the DNS records that a domain waits for', async () => {
    const { runInProcess } = await createOwner();
    await runInProcess('domains', 'set', 'www.waits.com');
    expect((await runInProcess('domains', 'get', 'www.waits.com')).err).toBe(
      'The domain needs DNS records: berth domains records www.waits.com\n',
    );
  });
});

describe('berth domains validate', () => {
  it.each([
    ['a subdomain of the platform domain', 'Fresh', 'fresh.localhost'],
    ['a custom domain', 'www.Bücher.de', 'www.xn--bcher-kva.de'],
  ])('accepts %s', async (_, typed, normalized) => {
    const { runInProcess } = await createOwner();
    expect(await runInProcess('domains', 'validate', typed)).toEqual({
      code: 0,
      out: `${normalized} is available.\n`,
      err: '',
    });
    expect(JSON.parse((await runInProcess('domains', 'validate', typed, '--json')).out)).toEqual({
      valid: true,
      normalized,
      available: true,
      reason: null,
    });
  });

  it('refuses an invalid name and a name of another account, with the reason', async () => {
    const owner = await createOwner();
    await owner.runInProcess('domains', 'set', 'taken', owner.deployment);
    const { runInProcess } = await createOwner();
    for (const name of ['taken', 'not_a_name.example'])
      expect(await runInProcess('domains', 'validate', name)).toMatchObject({
        code: 4,
        out: '',
        err: expect.stringContaining('cannot be used: '),
      });
    expect(JSON.parse((await runInProcess('domains', 'validate', 'taken', '--json')).err)).toMatchObject({
      error: { details: { valid: true, available: false } },
    });
  });
});
