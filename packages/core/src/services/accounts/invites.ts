import {
  type CreatedInvite,
  INVITE_TTL_SECONDS,
  type Invite as WireInvite,
  type InviteList,
  type InviteRequest,
} from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { AccountCaller, Scope } from '../../core.ts';
import { Account, Invite, Member } from '../../entities/index.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { recordActivity } from '../activities/activities.ts';
import { randomSecret, randomSuffix, secretHash } from '../random.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { lockAccount, lockActiveAccount } from './account-lock.ts';
import { refuseBeyondCap } from './caps.ts';
import { refuseMember, requireOwner } from './members.ts';

/** The maximum number of invitations of an account that can be accepted. */
export const MAX_INVITES = 100;

/**
 * `POST /account/invites`: invites a person. The link works once, for 7 days. Another invitation with the same e-mail address
 * replaces the earlier one. Invitations take no seats; the seat is counted when the person accepts.
 *
 * @returns The invitation with its link, which no other response contains.
 * @throws `forbidden` unless the owner acts, and with `details` if all seats of the plan are taken; `business_logic_error` if
 *   the person is a member, or for more than {@link MAX_INVITES} invitations. Source: api §13.
 */
export async function createInvite({ core, caller }: Scope, request: InviteRequest): Promise<CreatedInvite> {
  requireOwner(caller);
  const { role } = request;
  const email = request.email?.toLowerCase() ?? null;
  return core.database.transaction(async (em) => {
    const { id: account, plan } = await lockActiveAccount(em, caller.account);
    if (email !== null) await refuseMember(em, account, email);
    refuseBeyondCap(core, plan, 'seats', await em.count(Member, { account }));
    const created = core.now();
    await makeInviteRoom(em, account, created, email);
    const secret = randomSecret();
    const invite = em.create(Invite, {
      id: `inv-${randomSuffix()}`,
      account: em.getReference(Account, account),
      email,
      role,
      secretHash: secretHash(secret),
      created,
      expires: new Date(created.getTime() + INVITE_TTL_SECONDS * 1000),
    });
    em.persist(invite);
    recordInvite(em, caller, created, { invite: invite.id, invited: email });
    return { ...toInvite(invite), url: core.addresses.invite(secret) };
  });
}

/** Deletes expired invitations, and those that a new one replaces. @throws `business_logic_error` if too many are left. */
async function makeInviteRoom(em: EntityManager, account: string, now: Date, email: string | null): Promise<void> {
  const rows = await em.find(Invite, { account });
  const isReplaced = (row: Invite) => row.expires <= now || (email !== null && row.email === email);
  for (const row of rows.filter(isReplaced)) em.remove(row);
  if (rows.filter((row) => !isReplaced(row)).length < MAX_INVITES) return;
  throw new ServiceError(
    'business_logic_error',
    `An account can have ${MAX_INVITES} open invitations. Delete one, or wait until one is accepted or expires.`,
    { details: { limit: MAX_INVITES } },
  );
}

/** `GET /account/invites`: the invitations that can be accepted, newest first. Source: api §13. */
export async function listInvites({ core, caller }: Scope): Promise<z.infer<typeof InviteList>> {
  const rows = await core.database
    .em()
    .find(
      Invite,
      { account: caller.account, expires: { $gt: core.now() } },
      { orderBy: { created: 'desc', id: 'desc' } },
    );
  return { invites: rows.map(toInvite) };
}

/**
 * `DELETE /account/invites/{invite}`: withdraws an invitation. Its link no longer works.
 *
 * @throws `forbidden` unless the owner acts; `not_found`. Source: api §13.
 */
export async function deleteInvite({ core, caller }: Scope, invite: string): Promise<{ invite: string }> {
  requireOwner(caller);
  return core.database.transaction(async (em) => {
    await lockAccount(em, caller.account);
    const deleted = await em.nativeDelete(Invite, { id: invite, account: caller.account });
    if (deleted === 0) throw notFound('invitation');
    recordInvite(em, caller, core.now(), { invite, invited: false });
    return { invite };
  });
}

function recordInvite(em: EntityManager, caller: AccountCaller, created: Date, meta: Record<string, unknown>): void {
  const { account, authMethod } = caller;
  recordActivity(em, { account, event: 'account.update', authMethod, created, meta });
}

function toInvite({ id, email, role, created, expires }: Invite): WireInvite {
  return { invite: id, email: email ?? null, role, created: toUnixSeconds(created), expires: toUnixSeconds(expires) };
}
