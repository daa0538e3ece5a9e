import { z } from 'zod';
import { Timestamp } from './timestamp.ts';
import { openEnum } from './open-enum.ts';

/** What a member may do: `owner` everything; `member` everything but invite and remove members and delete the account. */
export const MEMBER_ROLES = ['owner', 'member'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** The maximum length of an e-mail address. Source: RFC 5321 §4.5.3.1. */
export const MAX_EMAIL_LENGTH = 254;
/** Without control characters and halves of surrogate pairs. */
const EMAIL = /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u;

/** An e-mail address, without white space around it. Only a message that arrives proves that it exists. */
export const Email = z
  .string()
  .trim()
  .max(MAX_EMAIL_LENGTH, 'the e-mail address must have the form "name@host"')
  .refine((email) => EMAIL.test(email), 'the e-mail address must have the form "name@host"');

/** The number of seconds for which an invitation can be accepted: 7 days. */
export const INVITE_TTL_SECONDS = 7 * 24 * 60 * 60;

const Role = openEnum(MEMBER_ROLES).describe(
  '`owner`: can do everything. `member`: can do everything except invite and remove members and delete the account.',
);

/** A person who acts for an account. Source: api §13. */
export const Member = z
  .object({
    member: z.string().describe('The id of the member.').meta({ example: 'mem-42' }),
    email: z.string(),
    name: z.string().nullable().describe('The name of the person; null for none.'),
    role: Role,
    created: Timestamp.describe('When the member joined, in Unix seconds.'),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;

/** The body of `GET /account/members`. */
export const MemberList = z
  .object({ members: z.array(Member).describe('The members in the order in which they joined.') })
  .meta({ id: 'MemberList' });

/** The path parameter that names a member. An unreadable id gets the same 404 as a missing member. */
export const MemberPath = z.object({
  member: z
    .string()
    .max(300, 'the id of a member must be like "mem-42"')
    .describe('The id of the member.')
    .meta({ example: 'mem-42' }),
});
export const DeletedMember = z.object({ member: z.string() }).meta({ id: 'DeletedMember' });

/** The body of `POST /account/invites`. Source: api §13. */
export const InviteRequest = z
  .object({
    email: Email.optional().describe(
      'The e-mail address of the person. Only that person can accept the invitation. Default: anyone with the link can.',
    ),
    role: z
      .enum(['member'], 'role must be "member": an account has one owner')
      .default('member')
      .describe('The role of the new member.'),
  })
  .meta({ id: 'InviteRequest' });
export type InviteRequest = z.output<typeof InviteRequest>;

/** An invitation that was not accepted yet, without its link. Source: api §13. */
export const Invite = z
  .object({
    invite: z.string().describe('The id of the invitation.').meta({ example: 'inv-4k9x2qd' }),
    email: z.string().nullable().describe('The e-mail address of the person; null if anyone with the link can accept.'),
    role: Role,
    created: Timestamp,
    expires: Timestamp.describe('Until when the invitation can be accepted, in Unix seconds.'),
  })
  .meta({ id: 'Invite' });
export type Invite = z.infer<typeof Invite>;

/** The body of the 201 of `POST /account/invites`, which is the only response with the link. */
export const CreatedInvite = Invite.extend({
  url: z.string().describe('The link for the person. Only this response contains it, and it works once.'),
  mailed: z.boolean().describe('Whether the link was also sent to `email`. Servers without a mail server send none.'),
}).meta({ id: 'CreatedInvite' });
export type CreatedInvite = z.infer<typeof CreatedInvite>;

/** The input of `invites.find`. */
export const InviteSecret = z.object({
  secret: z.string().max(256, 'the secret must be that of an invitation').describe('The secret in the link.'),
});
/** The input of `invites.accept`. */
export const InviteAcceptance = InviteSecret.extend({
  email: Email.optional().describe(
    'The e-mail address of a person who is not signed in, if the invitation names none.',
  ),
});
/** What an invitation is for. */
export const InviteTarget = z.object({
  account: z.string().describe('The id of the account.'),
  name: z.string().nullable().describe('The name of the account; null for none.'),
  owner: z.string().describe('The e-mail address of the account.'),
  email: z.string().nullable().describe('The only person who can accept; null for anyone.'),
  expires: Timestamp,
});
export type InviteTarget = z.infer<typeof InviteTarget>;

/** The body of `GET /account/invites`. */
export const InviteList = z
  .object({ invites: z.array(Invite).describe('The invitations that can be accepted, newest first.') })
  .meta({ id: 'InviteList' });

/** The path parameter that names an invitation. An unreadable id gets the same 404 as a missing invitation. */
export const InvitePath = z.object({
  invite: z
    .string()
    .max(300, 'the id of an invitation must be like "inv-4k9x2qd"')
    .describe('The id of the invitation.')
    .meta({ example: 'inv-4k9x2qd' }),
});
export const DeletedInvite = z.object({ invite: z.string() }).meta({ id: 'DeletedInvite' });
