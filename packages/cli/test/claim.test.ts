import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { createUser, envOf } from './user.ts';

const server = useServer();

const claimLink = async () => (await server().publish({ 'index.html': 'mine' }, { key: null })).claim!;

describe('berth claim', () => {
  it('moves a site to the account, and prints its link', async () => {
    const { key } = await server().account();
    const { runInProcess } = createUser(envOf(server(), key));
    const link = await claimLink();
    const { code, out, err } = await runInProcess('claim', link);
    expect({ code, err }).toEqual({ code: 0, err: 'The site belongs to your account now, and no longer expires.\n' });
    expect((await server().visit(out.trim())).text).toBe('mine');
    expect(JSON.parse((await runInProcess('claim', link, '--json')).out)).toMatchObject({
      deployment: { url: out.trim(), expires: null },
    });
  });

  it('needs an API key', async () => {
    const { runInProcess } = createUser(envOf(server(), ''));
    expect(await runInProcess('claim', await claimLink())).toMatchObject({
      code: 3,
      err: expect.stringContaining('Sign in with berth login, or set BERTH_KEY.'),
    });
  });

  it.each([
    ['of another server', 'https://other.example/claim/', /--server https:\/\/other\.example/],
    ['that is unknown', '', /^Error: There is no such claim/],
  ])('refuses a link %s', async (_, prefix, error) => {
    const { runInProcess } = createUser(envOf(server()));
    expect(await runInProcess('claim', `${prefix}${'0'.repeat(32)}`)).toMatchObject({
      code: 4,
      out: '',
      err: expect.stringMatching(error),
    });
  });
});
