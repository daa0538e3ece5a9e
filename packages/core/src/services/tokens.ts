import { CREDENTIAL_PREFIX, type TokenKind } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Account, Token } from '../entities/index.ts';
import { randomSecret, randomSuffix, secretHash } from './random.ts';

/** What a new credential is to be. */
export interface TokenRequest {
  kind: TokenKind;
  labels?: string[];
  expires?: Date | null;
  created: Date;
  /** The whole credential, when the operator chose it; a random one when absent. */
  secret?: string | undefined;
}

/**
 * Makes a credential of an account, in the caller's transaction. Only its hash and last 4 characters are kept.
 *
 * @returns The identifier, and the secret: the one time it is to be seen. Source: contract §1, §5.
 */
export function createToken(
  em: EntityManager,
  account: string,
  { kind, labels = [], expires = null, created, secret }: TokenRequest,
): { token: string; secret: string } {
  const credential = secret ?? `${CREDENTIAL_PREFIX[kind]}-${randomSecret()}`;
  const token = randomSuffix();
  em.persist(
    em.create(Token, {
      account: em.getReference(Account, account),
      token,
      kind,
      secretHash: secretHash(credential),
      last4: credential.slice(-4),
      labels,
      created,
      expires,
      used: null,
    }),
  );
  return { token, secret: credential };
}
