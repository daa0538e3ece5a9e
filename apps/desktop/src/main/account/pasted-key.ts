import { ClientError, createClient } from '@berth/client';
import { CREDENTIAL } from '@berth/contract';
import { readAccount } from './read-account.ts';
import type { SignInMethod } from './sign-in-method.ts';

/** Signs in with a pasted API key. Checks its format first, then asks the server for its account. */
export function pastedKey(fetch: typeof globalThis.fetch): SignInMethod<{ key: string }> {
  return {
    async signIn(server, { key: pasted }, signal) {
      const key = pasted.trim();
      if (key.startsWith('deploy-'))
        throw new ClientError(
          'refused',
          'This is a deploy token, which can only deploy. Sign in with an API key, which begins with "ship-".',
        );
      if (!CREDENTIAL.test(key))
        throw new ClientError('refused', 'An API key must be "ship-" followed by 32 hex digits.');
      const account = await readAccount(createClient({ server: server.href, key, fetch }), signal).catch(
        (error: unknown) => {
          if (!(error instanceof ClientError) || error.status !== 401) throw error;
          throw new ClientError(
            'refused',
            `${server.host} does not know this key. It was revoked or belongs to another server.`,
          );
        },
      );
      return { key, account };
    },
  };
}
