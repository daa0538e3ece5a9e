import { z } from 'zod';
import { Timestamp } from './timestamp.ts';
import { DisplayName } from './display-name.ts';
import { Email } from './members.ts';
import { openEnum } from './open-enum.ts';
import { MIN_PERSON_PASSWORD } from './rules.ts';
import { SIGN_IN_METHODS } from './session-state.ts';

/** The number of seconds for which a person counts as proven after they signed in or proved who they are. Source: api §13. */
export const PROOF_SECONDS = 600;

const MAX_PASSWORD_TEXT = 1_024;
const MAX_NAME_LENGTH = 64;

/** A secret of a link: 32 lowercase hex digits. */
const LinkSecret = z
  .string()
  .max(256, 'the secret must be that of a one-time link')
  .describe('The secret in the link.');

/** A password that a person enters to sign in. */
const EnteredPassword = z
  .string()
  .max(MAX_PASSWORD_TEXT, 'the password is too long')
  .transform((text) => text.normalize('NFC'));

/** A new password of a person: 12 to 256 characters, normalized to NFC. Source: api §13. */
export const PersonPassword = z
  .string()
  .max(MAX_PASSWORD_TEXT, 'a password must have at most 256 characters')
  .transform((text) => text.normalize('NFC'))
  .refine(
    (text) => [...text].length >= MIN_PERSON_PASSWORD,
    `a password must have at least ${MIN_PERSON_PASSWORD} characters`,
  )
  .refine((text) => [...text].length <= 256, 'a password must have at most 256 characters');

/** What the browser's `PublicKeyCredential.toJSON()` returns. Only its size and shape are checked here. */
const PasskeyResponse = z
  .looseObject({
    id: z.string().max(2_048, 'the id of a passkey is too long'),
    rawId: z.string().max(2_048, 'the id of a passkey is too long'),
    type: z.literal('public-key', 'the type must be "public-key"'),
    response: z.looseObject({ clientDataJSON: z.string().max(8_192, 'the client data is too long') }),
    clientExtensionResults: z.looseObject({}).default({}),
  })
  .describe('The result of `PublicKeyCredential.toJSON()`.');

/** Options for the browser: the argument of `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. */
export const PasskeyOptions = z.object({ options: z.record(z.string(), z.unknown()) });
export type PasskeyOptions = z.infer<typeof PasskeyOptions>;

/** The input of `signIn.readLink` and `signIn.useLink`. */
export const LinkRequest = z.object({ secret: LinkSecret });
/** The person whom a one-time link signs in. */
export const LinkTarget = z.object({ email: z.string(), expires: Timestamp });
export type LinkTarget = z.infer<typeof LinkTarget>;

/** The input of `signIn.password`. */
export const PasswordSignIn = z.object({ email: Email, password: EnteredPassword });
/** The input of `signIn.passkey`. */
export const PasskeySignIn = z.object({ response: PasskeyResponse });

/** A path of the console, to which a person returns after signing in. It never leads to another host. */
export const ReturnPath = z
  .string()
  .max(2_048, 'back must have at most 2,048 characters')
  .refine((path) => /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path), 'back must be a path of this server, such as "/app/sites"')
  .describe('The path of the console to return to.');

/** The input of `signIn.requestCode`. */
export const CodeRequest = z.object({ email: Email, back: ReturnPath.optional() });
/** The result of `signIn.requestCode`, which is the same for every address. */
export const RequestedCode = z.object({ seconds: z.int().describe('How long the code works.') });
const Code = z
  .string()
  .max(64, 'the code must have 6 digits')
  .transform((text) => text.replace(/[\s-]/g, ''))
  .refine((text) => /^\d{6}$/.test(text), 'the code must have 6 digits');
/** The input of `signIn.code`. */
export const CodeSignIn = z.object({ code: Code });
/** The result of `signIn.code`. */
export const SignedIn = z.object({
  back: z.string().nullable().describe('The path of the console to return to; null for none.'),
});

/** The input of `session.prove`: one of the three. */
export const SessionProof = z
  .object({
    password: EnteredPassword.optional(),
    response: PasskeyResponse.optional(),
    code: Code.optional().describe('A code that `signIn.requestCode` has sent to the address of the person.'),
  })
  .refine(
    ({ password, response, code }) => [password, response, code].filter((each) => each !== undefined).length === 1,
    'send one of password, response and code',
  );
/** The input of `session.choose`. */
export const AccountChoice = z.object({ account: z.string().max(64, 'account must be the id of an account') });
/** The body of a change that returns nothing else. */
export const Done = z.object({ done: z.literal(true) });

/** A browser in which the person is signed in. */
export const BrowserSession = z.object({
  session: z.string().describe('The id of the session.'),
  current: z.boolean().describe('Whether it is the session of this request.'),
  method: openEnum(SIGN_IN_METHODS),
  account: z.string().describe('The id of the account that the person acts for in it.'),
  created: Timestamp,
  seen: Timestamp.describe('When it was last used, to the minute.'),
  agent: z.string().describe('The `User-Agent` of the browser, shortened.'),
  address: z.string().describe('The address of the browser, with IPv6 cut to its /64.'),
});
export type BrowserSession = z.infer<typeof BrowserSession>;
export const BrowserSessionList = z.object({ sessions: z.array(BrowserSession) });
/** The input of `sessions.delete`. */
export const BrowserSessionPath = z.object({ session: z.string().max(64, 'session must be the id of a session') });
/** The result of `sessions.deleteOthers`. */
export const DeletedSessions = z.object({ deleted: z.int().describe('The number of sessions that ended.') });

/** A passkey of the person. */
export const Passkey = z.object({
  passkey: z.string().describe('The id of the passkey.'),
  name: z.string(),
  created: Timestamp,
  used: Timestamp.nullable(),
});
export type Passkey = z.infer<typeof Passkey>;
export const PasskeyList = z.object({ passkeys: z.array(Passkey) });
const PasskeyName = z
  .string()
  .trim()
  .min(1, 'the name of a passkey must not be empty')
  .max(MAX_NAME_LENGTH, `the name of a passkey must have at most ${MAX_NAME_LENGTH} characters`);
/** The input of `passkeys.create`. */
export const PasskeyRequest = z.object({ name: PasskeyName, response: PasskeyResponse });
/** The input of `passkeys.delete`. */
export const PasskeyPath = z.object({ passkey: z.string().max(2_048, 'passkey must be the id of a passkey') });

/** An identity of the person at an OpenID Connect provider. Source: api §13. */
export const Identity = z.object({
  identity: z.string().describe('The id of the identity.'),
  provider: z.string().describe('The name of the provider.'),
  email: z.string().nullable().describe('The e-mail address that the provider last gave; null for none.'),
  created: Timestamp,
  used: Timestamp,
});
export type Identity = z.infer<typeof Identity>;
export const IdentityList = z.object({ identities: z.array(Identity) });
/** The result of `identities.begin`. */
export const IdentityUrl = z.object({ url: z.string().describe('The page of the provider to open.') });
/** The input of `identities.delete`. */
export const IdentityPath = z.object({ identity: z.string().max(64, 'identity must be the id of an identity') });

/** The input of `person.rename`. */
export const PersonName = z.object({
  name: DisplayName.describe('The name of the person; null for none.'),
});
/** The input of `person.requestEmail`. */
export const EmailChangeRequest = z.object({ email: Email.describe('The new e-mail address.') });
/** The result of `person.requestEmail`. */
export const RequestedEmailChange = z.object({
  changed: z.boolean().describe('True if the address is already changed, because the server sends no e-mail.'),
  confirmsPresent: z.boolean().describe('Whether the present address also got a code.'),
});
/** The input of `person.changeEmail`. */
export const EmailChange = z.object({
  code: Code.describe('The code that was sent to the new address.'),
  presentCode: Code.optional().describe('The code that was sent to the present address.'),
});

/** The input of `person.setPassword`. */
export const PasswordChange = z.object({
  password: PersonPassword.nullable().describe('The new password; null removes it.'),
});
