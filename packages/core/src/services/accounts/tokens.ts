import {
  CREDENTIAL_PREFIX,
  type CreatedToken,
  DEFAULT_TOKEN_KEEP,
  type PageQuery,
  TOKEN_ID,
  type Token as WireToken,
  type TokenKind,
  type TokenList,
  type TokenRequest,
} from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { Account, Person, Token } from '../../entities/index.ts';
import { invalid, notFound, ServiceError } from '../../errors.ts';
import { recordActivity } from '../activities/activities.ts';
import { type CursorScope, decodeCursor, toPage, Values } from '../cursors.ts';
import { lockAccount } from './account-lock.ts';
import type { AccountCaller, Addresses, Core, DomainAccess, Scope } from '../../core.ts';
import { readUsableName } from '../domain-names.ts';
import { randomSecret, randomSuffix, secretHash } from '../random.ts';
import { toUnixSeconds } from '../timestamps.ts';

/** The fields of a new API key or deploy token. */
export interface NewToken {
  kind: TokenKind;
  labels?: string[];
  expires?: Date | null;
  created: Date;
  /** The identifier. Default: a random identifier. */
  token?: string | undefined;
  /** The credential that the operator chose. Default: a random credential. */
  secret?: string | undefined;
  /** The domains that a deploy token can publish to. Default: none. */
  domainAccess?: DomainAccess | null;
  /** The id of the person with whose membership it ends. Default: none. */
  person?: string | null;
}

/** Creates a credential, in the caller's transaction. Stores only its hash and last 4 characters. Source: api §1, §5. */
export function createToken(
  em: EntityManager,
  account: string,
  {
    kind,
    labels = [],
    expires = null,
    created,
    token = randomSuffix(),
    secret,
    domainAccess = null,
    person = null,
  }: NewToken,
): { token: string; secret: string } {
  const credential = secret ?? `${CREDENTIAL_PREFIX[kind]}-${randomSecret()}`;
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
      domains: domainAccess ? [...domainAccess.domains] : [],
      keep: domainAccess?.keep ?? null,
      person: person === null ? null : em.getReference(Person, person),
    }),
  );
  return { token, secret: credential };
}

/** Who makes a credential. It acts with the role of that member, and ends with the membership. */
type TokenMaker = Pick<AccountCaller, 'account' | 'member' | 'authMethod'>;

/** The maximum number of credentials of an account. */
export const MAX_TOKENS = 1_000;

/**
 * `POST /tokens`: creates a credential for the caller's account. It ends with the membership of the member who acts.
 *
 * An account has at most {@link MAX_TOKENS}. If it has that many, its expired credentials are deleted.
 *
 * @returns The credential with its secret, which no other response contains.
 * @throws `validation_failed` for a name that cannot be a domain, for an API key with `domains`, and for `keep` without
 *   `domains`; `business_logic_error` if the account has {@link MAX_TOKENS} that have not expired. Source: api §5.
 */
export async function addToken(scope: Scope, request: TokenRequest): Promise<CreatedToken> {
  return scope.core.database.transaction(async (em) => {
    await lockAccount(em, scope.caller.account);
    return mintToken(em, scope, request);
  });
}

/** Like {@link addToken}, in the caller's transaction, which must have locked the account. */
export async function mintToken(
  em: EntityManager,
  { core, caller: { account, member, authMethod } }: { core: Core; caller: TokenMaker },
  request: TokenRequest,
): Promise<CreatedToken> {
  const { kind, ttl, labels = [] } = request;
  const domainAccess = domainAccessOf(core.addresses, request);
  const created = core.now();
  await makeTokenRoom(em, account, created);
  const expires = ttl === undefined ? null : new Date(created.getTime() + ttl * 1000);
  const row = { token: await findFreeTokenId(em, account), kind, labels, created, expires, used: null, domainAccess };
  const { secret } = createToken(em, account, { ...row, person: member?.person ?? null });
  const addedToken = { ...toToken({ ...row, domains: domainAccess?.domains, keep: domainAccess?.keep }), secret };
  const meta = { kind, labels, expires: addedToken.expires, ...domainAccess };
  recordActivity(em, { account, event: 'token.create', authMethod, created, token: row.token, meta });
  return addedToken;
}

/** Reads the domains of a new deploy token; `null` if it gets none. */
function domainAccessOf(
  addresses: Addresses,
  { kind, domains, keep }: Pick<TokenRequest, 'kind' | 'domains' | 'keep'>,
): DomainAccess | null {
  if (domains === undefined) {
    if (keep !== undefined) throw invalid('keep', 'keep must be sent with domains, whose versions it limits');
    return null;
  }
  if (kind === 'api')
    throw invalid('domains', 'domains must be sent for a deploy token; an API key can use all domains');
  const names = domains.map((domain, position) => {
    const name = readUsableName(addresses, domain);
    if (!name.ok) throw invalid(`domains.${position}`, name.reason);
    return name.name;
  });
  return { domains: [...new Set(names)], keep: keep ?? DEFAULT_TOKEN_KEEP };
}

async function makeTokenRoom(em: EntityManager, account: string, now: Date): Promise<void> {
  if ((await em.count(Token, { account })) < MAX_TOKENS) return;
  const removedCount = await em.nativeDelete(Token, { account, expires: { $lte: now } });
  if (removedCount === 0)
    throw new ServiceError(
      'business_logic_error',
      `An account must have at most ${MAX_TOKENS.toLocaleString('en-US')} tokens: revoke one first.`,
      { details: { state: 'too_many_tokens', limit: MAX_TOKENS } },
    );
}

/** Returns an identifier that no token of a locked account has. @param random Generates identifiers. Source: api §1. */
export async function findFreeTokenId(em: EntityManager, account: string, random = randomSuffix): Promise<string> {
  for (;;) {
    const token = random();
    if ((await em.count(Token, { account, token })) === 0) return token;
  }
}

const SELECT_TOKENS = `
  select id, token, kind, array_to_json(labels) as labels, created, expires, used, array_to_json(domains) as domains, keep
  from token where account_id = $1`;

type TokenRow = TokenFields & Pick<Token, 'id'>;

/** `GET /tokens`: all credentials, even expired ones, newest first. @throws `validation_failed` for an invalid cursor. */
export async function listTokens({ core, caller }: Scope, page: PageQuery): Promise<z.infer<typeof TokenList>> {
  const scope: CursorScope = { core, account: caller.account, list: 'tokens' };
  const values = new Values(caller.account);
  const after = page.cursor === undefined ? '' : `and id < ${values.add(decodeCursor(scope, page.cursor)[0])}`;
  const text = `${SELECT_TOKENS} ${after} order by id desc limit ${values.add(page.limit + 1)}`;
  const found = await core.database.prepared<TokenRow>(text, values.list);
  const { rows, nextCursor } = toPage(scope, found, page.limit, (row) => [row.id]);
  return { tokens: rows.map(toToken), ...(nextCursor ? { nextCursor } : {}) };
}

/** `GET /tokens/{token}`. @throws `not_found`. Source: api §5. */
export async function getToken({ core, caller }: Scope, token: string): Promise<WireToken> {
  const [row] = TOKEN_ID.test(token)
    ? await core.database.prepared<TokenRow>(`${SELECT_TOKENS} and token = $2`, [caller.account, token])
    : [];
  if (!row) throw notFound('token');
  return toToken(row);
}

/**
 * `DELETE /tokens/{token}`: revokes a credential in every process, from the next request on.
 *
 * Any credential can be revoked, even the credential of this request and the last API key of the account, so that a
 * leaked key can always be revoked at once. The operator can create a new key.
 *
 * @throws `not_found`. Source: api §5; security T20.
 */
export async function deleteToken({ core, caller }: Scope, token: string): Promise<{ token: string }> {
  const { account, authMethod } = caller;
  return core.database.transaction(async (em) => {
    await lockAccount(em, account);
    const row = await getOwnToken(em, account, token);
    em.remove(row);
    const meta = { kind: row.kind };
    recordActivity(em, { account, event: 'token.delete', authMethod, created: core.now(), token, meta });
    return { token };
  });
}

type TokenFields = Pick<Token, 'token' | 'kind' | 'labels' | 'created' | 'expires' | 'used'> & {
  domains?: readonly string[] | undefined;
  keep?: number | null | undefined;
};

function toToken({ token, kind, labels, created, expires, used, domains = [], keep }: TokenFields): WireToken {
  const toSeconds = (date: Date | null | undefined) => (date ? toUnixSeconds(date) : null);
  return {
    token,
    kind,
    labels,
    created: toUnixSeconds(created),
    expires: toSeconds(expires),
    used: toSeconds(used),
    ...(domains.length > 0 && { domains: [...domains], keep: keep ?? DEFAULT_TOKEN_KEEP }),
  };
}

async function getOwnToken(em: EntityManager, account: string, token: string): Promise<Token> {
  const row = TOKEN_ID.test(token) ? await em.findOne(Token, { account, token }) : null;
  if (!row) throw notFound('token');
  return row;
}
