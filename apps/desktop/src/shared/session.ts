import { Account, Caps } from '@berth/contract';
import { z } from 'zod';

/** An account as the server sends it. Older servers do not report storage. */
export const KnownAccount = Account.extend({ usage: Caps });
export type KnownAccount = z.infer<typeof KnownAccount>;

/** Which account the app uses on a server, and whether its key is valid. */
export const SignIn = z.discriminatedUnion('is', [
  z.object({ is: z.literal('signed-out') }),
  /** There is a key, and the server has not confirmed its account yet. */
  z.object({ is: z.literal('checking') }),
  z.object({ is: z.literal('signed-in'), account: KnownAccount }),
  /** There is a key, but the server cannot be reached. `email` is the account that the server last reported. */
  z.object({ is: z.literal('unreachable'), email: z.string().nullable(), message: z.string() }),
  /** The key is no longer valid. */
  z.object({ is: z.literal('refused'), email: z.string().nullable() }),
]);
export type SignIn = z.infer<typeof SignIn>;

export const Server = z.object({
  /** Identifies the server: `https://berth.example`. */
  origin: z.url(),
  signIn: SignIn,
});
export type Server = z.infer<typeof Server>;

/** The known servers, and which one is the current one. */
export const Session = z.object({
  servers: z.array(Server).min(1).max(50),
  /** The origin of the server that drops are published to. */
  current: z.url(),
  /** Where keys are kept: in the keychain of the system or, if it cannot protect them, in memory until the app quits. */
  keysKept: z.enum(['system', 'memory']),
  online: z.boolean(),
});
export type Session = z.infer<typeof Session>;
