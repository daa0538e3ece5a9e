import { moment } from '@berth/client/amounts';
import type { Member } from '@berth/contract';
import { UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import type { Session } from '../session.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { screenTable } from './list.ts';

export function addMembers(program: Command, context: CommandContext): void {
  const members = withExamples(program.command('members'), {
    'berth members': 'lists the people who act for the account',
    'berth members remove grace@example.com': 'also ends the keys that the person made',
  })
    .summary('list and remove the people who act for the account')
    .description('List and remove the people who act for the account. To add a person: berth invites create');

  withExamples(members.command('list', { isDefault: true }), { 'berth members list --json': '' })
    .description('List the members, the owner first.')
    .action(
      inSession<[]>(context, async (session) => {
        const { members: rows } = await session.client.api.members.list.query();
        const cells = rows.map(({ email, role, created, member }) => [email, role, moment(created), member]);
        const { lines } = screenTable(session, ['e-mail', 'role', 'since', 'member'], cells, ['member']);
        session.printResult({ members: rows }, () => lines);
      }),
    );

  withExamples(members.command('remove'), { 'berth members remove grace@example.com': '' })
    .description('Remove a member. The keys that the person made end too. Only the owner can do this.')
    .argument('<member>', 'the e-mail address or the id of the member')
    .action(
      inSession<[string]>(context, async (session, [named]) => {
        const { member, email } = await findMember(session, named);
        await session.confirm(`Remove ${email}? The keys that ${email} made stop working immediately.`);
        await session.client.api.members.delete.mutate({ member });
        session.printResult({ member, email }, () => [`Removed ${email}.`]);
      }),
    );
}

async function findMember({ client }: Session, named: string): Promise<Member> {
  const { members } = await client.api.members.list.query();
  const wanted = named.trim().toLowerCase();
  const found = members.find(({ member, email }) => member === wanted || email.toLowerCase() === wanted);
  if (!found) throw new UsageError(`${named} is not a member. To list the members: berth members`);
  return found;
}

export function addInvites(program: Command, context: CommandContext): void {
  const invites = withExamples(program.command('invites'), {
    'berth invites create grace@example.com': 'prints a link for this person',
    'berth invites delete inv-4k9x2qd': 'the link no longer works',
  })
    .summary('invite people to the account')
    .description('List, create and delete invitations to the account. A link works once, for 7 days.');

  withExamples(invites.command('list', { isDefault: true }), { 'berth invites list --json': '' })
    .description('List the open invitations, newest first, without their links.')
    .action(
      inSession<[]>(context, async (session) => {
        const { invites: rows } = await session.client.api.invites.list.query();
        const cells = rows.map(({ invite, email, expires }) => [invite, email ?? 'anyone', moment(expires)]);
        const { lines } = screenTable(session, ['invite', 'for', 'expires'], cells, []);
        session.printResult({ invites: rows }, () => lines);
        if (rows.length === 0) session.note('There are no open invitations.');
      }),
    );

  withExamples(invites.command('create'), {
    'berth invites create grace@example.com': 'only this person can accept',
    'berth invites create': 'anyone with the link can accept',
  })
    .description('Create an invitation and print its link. It is not shown again. Only the owner can do this.')
    .argument('[email]', 'the e-mail address of the person')
    .action(
      inSession<[string | undefined]>(context, async ({ client, printResult, note }, [email]) => {
        const invite = await client.api.invites.create.mutate({ email });
        note(`Send this link to ${invite.email ?? 'the person'}. It works once, until ${moment(invite.expires)}.`);
        printResult({ invite }, () => [invite.url]);
      }),
    );

  withExamples(invites.command('delete'), { 'berth invites delete inv-4k9x2qd': '' })
    .description('Delete an invitation. Its link no longer works.')
    .argument('<invite>', 'the id of the invitation, as listed by "berth invites"')
    .action(
      inSession<[string]>(context, async ({ client, printResult }, [invite]) => {
        const deleted = await client.api.invites.delete.mutate({ invite });
        printResult(deleted, () => [`Deleted ${deleted.invite}.`]);
      }),
    );
}
