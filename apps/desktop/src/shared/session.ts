import { Account, Caps } from '@berth/contract';
import { z } from 'zod';

/** An account as a server answers it; older servers do not count storage. */
export const KnownAccount = Account.extend({ usage: Caps });
export type KnownAccount = z.infer<typeof KnownAccount>;

/** Whose key is used for a server, and whether it is good. */
export const SignIn = z.discriminatedUnion('is', [
  z.object({ is: z.literal('signed-out') }),
  /** There is a key, and the server has not said yet whose. */
  z.object({ is: z.literal('checking') }),
  z.object({ is: z.literal('signed-in'), account: KnownAccount }),
  /** There is a key, and the server cannot be asked. `email` is whose it was when it could. */
  z.object({ is: z.literal('unreachable'), email: z.string().nullable(), message: z.string() }),
  /** The server does not take the key any more. */
  z.object({ is: z.literal('refused'), email: z.string().nullable() }),
]);
export type SignIn = z.infer<typeof SignIn>;

export const Server = z.object({
  /** Names it: `https://berth.example`. */
  origin: z.url(),
  signIn: SignIn,
});
export type Server = z.infer<typeof Server>;

/** Which servers are known, and which one is meant. */
export const Session = z.object({
  servers: z.array(Server).min(1).max(50),
  /** The origin of the one that drops go to. */
  current: z.url(),
  /** Where keys are kept: by the system, or, where it cannot protect them, in memory until the app quits. */
  keysKept: z.enum(['system', 'memory']),
  online: z.boolean(),
});
export type Session = z.infer<typeof Session>;
