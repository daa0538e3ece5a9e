import { Account, Caps } from '@berth/contract';
import { z } from 'zod';

/** An account as the server sends it. Older servers do not report storage. */
export const KnownAccount = Account.extend({ usage: Caps, used: Account.shape.used.optional() });
export type KnownAccount = z.infer<typeof KnownAccount>;

/** The account that the app uses on a server, and whether the account's key is valid. */
export const SignIn = z.discriminatedUnion('is', [
  z.object({ is: z.literal('signed-out') }),
  /** The user has a key, and the server has not confirmed the key's account yet. */
  z.object({ is: z.literal('checking') }),
  z.object({ is: z.literal('signed-in'), account: KnownAccount }),
  /** The user has a key, but the server cannot be reached. `email` is the last known e-mail address of the key's account. */
  z.object({ is: z.literal('unreachable'), email: z.string().nullable(), message: z.string() }),
  /** The key is no longer valid. */
  z.object({ is: z.literal('refused'), email: z.string().nullable() }),
]);
export type SignIn = z.infer<typeof SignIn>;

export const Server = z.object({
  /** The origin that identifies the server, such as `https://berth.example`. */
  origin: z.url(),
  signIn: SignIn,
});
export type Server = z.infer<typeof Server>;

/** The known servers, and the current server. */
export const Session = z.object({
  servers: z.array(Server).min(1).max(50),
  /** The origin of the server that drops are published to. */
  current: z.url(),
  /** Where keys are kept: in the system's keychain or, if the system cannot protect keys, in memory until the app quits. */
  keysKept: z.enum(['system', 'memory']),
  online: z.boolean(),
});
export type Session = z.infer<typeof Session>;
