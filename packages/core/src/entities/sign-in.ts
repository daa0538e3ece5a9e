import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { SignInMethod } from '@berth/contract';
import { Account, type Member, Person } from './account.ts';
import { TextArray } from './text-array.ts';

/** A browser in which a person is signed in. Its cookie contains the secret. Source: api §13. */
export const Session = defineEntity({
  name: 'Session',
  properties: {
    /** The id that people see: `ses-` and 7 of `[a-z0-9]`. */
    id: p.text().primary(),
    /** The SHA-256 of the secret in the cookie. */
    secretHash: p.blob().unique(),
    person: () => p.manyToOne(Person).deleteRule('cascade').index('session_person_id_index'),
    /** The account that the person acts for. */
    account: () => p.manyToOne(Account).deleteRule('cascade').index('session_account_id_index'),
    method: p.text().$type<SignInMethod>(),
    created: p.datetime(3),
    /** When the session was last used, to the minute. */
    seen: p.datetime(3),
    /** When the person signed in, or last proved who they are. */
    proved: p.datetime(3),
    /** When the session ends, unless it is used before. */
    expires: p.datetime(3).index('session_expires_index'),
    /** The `User-Agent` header, shortened. */
    agent: p.text(),
    /** The client address, with IPv6 cut to its /64. */
    address: p.text(),
  },
});
export type Session = InferEntity<typeof Session>;

/** The purposes of proofs. `first`: a one-time link. The others are steps of a sign-in or of a new passkey. */
export type ProofPurpose = 'first' | 'code' | 'passkey.add' | 'passkey.use' | 'oidc';

/** A secret that opens one thing once: a one-time link, or a sign-in that a browser has begun. Source: api §13. */
export const Proof = defineEntity({
  name: 'Proof',
  properties: {
    /** The SHA-256 of the secret, which only the link or the browser has. */
    secretHash: p.blob().primary(),
    purpose: p.text().$type<ProofPurpose>(),
    /** The person whom the proof signs in; `null` if the result decides who it is. */
    person: () => p.manyToOne(Person).nullable().deleteRule('cascade').index('proof_person_id_index'),
    /** The session of the browser that began; `null` if the browser had none. */
    session: p.text().nullable(),
    /** The address that a code was sent to, in lower case. */
    email: p.text().nullable(),
    /** The HMAC of the code that was sent. */
    codeHash: p.blob().nullable(),
    /** The number of wrong codes that were entered. */
    tries: p.integer().default(0),
    /** The path of the console to return to. */
    back: p.text().nullable(),
    created: p.datetime(3),
    expires: p.datetime(3).index('proof_expires_index'),
  },
});
export type Proof = InferEntity<typeof Proof>;

/** A passkey of a person. Source: api §13. */
export const Passkey = defineEntity({
  name: 'Passkey',
  properties: {
    /** The credential id in base64url. */
    id: p.text().primary(),
    person: () => p.manyToOne(Person).deleteRule('cascade').index('passkey_person_id_index'),
    /** The public key in COSE. */
    publicKey: p.blob(),
    /** The signature counter of the authenticator; 0 if it has none. */
    counter: p.bigint('number'),
    transports: p.type(TextArray),
    name: p.text(),
    created: p.datetime(3),
    used: p.datetime(3).nullable(),
  },
});
export type Passkey = InferEntity<typeof Passkey>;

/** A person's identity at an OpenID Connect provider. Source: api §13. */
export const Identity = defineEntity({
  name: 'Identity',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    person: () => p.manyToOne(Person).deleteRule('cascade').index('identity_person_id_index'),
    issuer: p.text(),
    subject: p.text(),
    created: p.datetime(3),
    used: p.datetime(3),
  },
  uniques: [{ name: 'identity_issuer_subject_unique', properties: ['issuer', 'subject'] }],
});
export type Identity = InferEntity<typeof Identity>;

/** An invitation to become a member of an account. Its link contains the secret. Source: api §13. */
export const Invite = defineEntity({
  name: 'Invite',
  properties: {
    /** The id that people see: `inv-` and 7 of `[a-z0-9]`. */
    id: p.text().primary(),
    /** The SHA-256 of the secret in the link. */
    secretHash: p.blob().unique(),
    account: () => p.manyToOne(Account).deleteRule('cascade').index('invite_account_id_index'),
    /** The only address that may accept, in lower case; `null` for any. */
    email: p.text().nullable(),
    role: p.text().$type<Member['role']>(),
    created: p.datetime(3),
    expires: p.datetime(3).index('invite_expires_index'),
  },
});
export type Invite = InferEntity<typeof Invite>;

/** The states of a device grant. Source: api §13. */
const GRANT_STATES = ['pending', 'approved', 'denied'] as const;
export type GrantState = (typeof GRANT_STATES)[number];

/** The request of a program for an API key, which a person approves in the console. The key is minted when it is fetched. Source: api §13. */
export const DeviceGrant = defineEntity({
  name: 'DeviceGrant',
  properties: {
    /** The SHA-256 of the device code, which only the program has. */
    deviceHash: p.blob().primary(),
    /** The HMAC of the code that the person types. */
    codeHash: p.blob().unique(),
    /** What the program calls itself. */
    client: p.text(),
    /** The address of the program, with IPv6 cut to its /64. */
    address: p.text(),
    state: p.enum(GRANT_STATES).default('pending'),
    /** Who approved. */
    person: () => p.manyToOne(Person).nullable().deleteRule('cascade').index('device_grant_person_id_index'),
    /** The account that the key will belong to. */
    account: () => p.manyToOne(Account).nullable().deleteRule('cascade').index('device_grant_account_id_index'),
    /** When the program last asked for the key. */
    polled: p.datetime(3).nullable(),
    /** The seconds that the program must wait between two requests. */
    interval: p.integer().default(5),
    created: p.datetime(3),
    expires: p.datetime(3).index('device_grant_expires_index'),
  },
});
export type DeviceGrant = InferEntity<typeof DeviceGrant>;
