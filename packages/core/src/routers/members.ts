import {
  CreatedInvite,
  DeletedInvite,
  DeletedMember,
  Done,
  InviteAcceptance,
  InviteList,
  InvitePath,
  InviteRequest,
  InviteSecret,
  InviteTarget,
  MemberList,
  MemberPath,
} from '@berth/contract';
import { createInvite, deleteInvite, listInvites } from '../services/accounts/invites.ts';
import { listMembers, removeMember } from '../services/accounts/members.ts';
import { acceptInvite, readInvite } from '../services/sign-in/accept-invite.ts';
import { accountProcedure, NoInput, operations, router, signInProcedure } from './trpc.ts';

const op = operations('Members', accountProcedure);
const NOT_THE_OWNER = 'The credential was made by a member who is not the owner.';

/** The procedures for the members of the account. Source: api §13. */
export const members = router({
  list: op('GET /account/members', 'List the members of the account', {
    success: 'The members.',
    description: 'Every member acts for the account and takes one seat of the plan. The owner is the first member.',
  })
    .input(NoInput)
    .output(MemberList)
    .query(({ ctx }) => listMembers(ctx)),

  delete: op('DELETE /account/members/{member}', 'Remove a member', {
    success: 'The person is no longer a member.',
    description:
      'The API keys and deploy tokens that the member made, and the sessions of the member in this account, end at once. What the member published stays. Only the owner can do this.',
    errorResponses: { 403: NOT_THE_OWNER, 422: 'The owner cannot be removed.' },
  })
    .input(MemberPath)
    .output(DeletedMember)
    .mutation(async ({ ctx, input }) => ({ member: (await removeMember(ctx, input.member)).member })),
});

/** The procedures for invitations to the account. Source: api §13. */
export const invites = router({
  create: op('POST /account/invites', 'Invite a person to the account', {
    success: 'The invitation, with its link.',
    description:
      'Send the link to the person. It works once, for 7 days. Only this response contains it. Only the owner can invite.',
    errorResponses: {
      403: `${NOT_THE_OWNER} Or all seats of the plan are taken; then \`details\` has the cap.`,
      422: 'The person is already a member, or the account has 100 open invitations.',
    },
    status: 201,
  })
    .input(InviteRequest.prefault({}))
    .output(CreatedInvite)
    .mutation(({ ctx, input }) => createInvite(ctx, input)),

  find: signInProcedure
    .input(InviteSecret)
    .output(InviteTarget)
    .mutation(({ ctx, input }) => readInvite(ctx, input.secret)),

  accept: signInProcedure
    .input(InviteAcceptance)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await acceptInvite(ctx, input);
      return { done: true as const };
    }),

  list: op('GET /account/invites', 'List the open invitations, newest first', {
    success: 'The invitations, without their links.',
    description: 'Accepted, deleted and expired invitations are not listed.',
  })
    .input(NoInput)
    .output(InviteList)
    .query(({ ctx }) => listInvites(ctx)),

  delete: op('DELETE /account/invites/{invite}', 'Delete an invitation', {
    success: 'The link of the invitation no longer works.',
    description: 'Only the owner can do this. A member who has already accepted stays a member.',
    errorResponses: { 403: NOT_THE_OWNER },
  })
    .input(InvitePath)
    .output(DeletedInvite)
    .mutation(({ ctx, input }) => deleteInvite(ctx, input.invite)),
});
