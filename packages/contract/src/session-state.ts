import { z } from 'zod';
import { openEnum } from './open-enum.ts';
import { Timestamp } from './timestamp.ts';

/** The ways in which a person can sign in. Source: api §13. */
export const SIGN_IN_METHODS = ['link', 'invite', 'passkey', 'password', 'code', 'oidc'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** An account that a person is a member of. */
const SessionAccount = z.object({
  account: z.string().describe('The id of the account.'),
  email: z.string().describe('The e-mail address of the account.'),
  name: z.string().nullable(),
  role: openEnum(['owner', 'member']),
});
export type SessionAccount = z.infer<typeof SessionAccount>;

/** How people can sign in on this server. */
const OfferedMethods = z.object({
  passkey: z.boolean().describe('Whether passkeys can be used at the address of this server.'),
  password: z.boolean(),
  code: z.boolean().describe('Whether codes are sent by e-mail.'),
  oidc: z.string().nullable().describe('The name of the OpenID Connect provider; null for none.'),
});

/** Who is signed in, and how people can sign in. Source: api §13. */
export const SessionState = z.object({
  methods: OfferedMethods,
  signUp: z.boolean().describe('Whether anyone can open an account.'),
  refusal: z.string().nullable().describe('Why no one can sign in at this address; null if it is possible.'),
  anonymous: z
    .object({
      maxFileSize: z.int(),
      maxFilesCount: z.int(),
      maxTotalSize: z.int(),
      blockedExtensions: z.array(z.string()),
    })
    .nullable()
    .describe('The limits of deploys without an account; null if this server publishes only for accounts.'),
  signedIn: z
    .object({
      session: z.string().describe('The id of this session.'),
      method: openEnum(SIGN_IN_METHODS).describe('How the person signed in.'),
      person: z.object({ id: z.string(), email: z.string(), name: z.string().nullable() }),
      account: z.string().describe('The id of the account that the person acts for.'),
      accountState: openEnum(['active', 'suspended', 'terminated']).describe(
        'The state of that account. While it is not `active`, the person can only choose another account and sign out.',
      ),
      accountStateReason: z.string().nullable().describe('Why the account is not active; null if there is no reason.'),
      role: openEnum(['owner', 'member']).describe('The role of the person in that account.'),
      accounts: z.array(SessionAccount).describe('The active accounts, which the person can choose.'),
      provenUntil: Timestamp.describe('Until then, the person need not prove again who they are.'),
      hasPassword: z.boolean(),
      passkeys: z.int().describe('The number of passkeys.'),
      identities: z.int().describe('The number of identities at OpenID Connect providers.'),
    })
    .nullable()
    .describe('The person who is signed in; null for no one.'),
});
export type SessionState = z.infer<typeof SessionState>;
