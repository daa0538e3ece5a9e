import { actForAccount, addMember, listMembers, removeMember } from '@berth/core/operator';
import { type Command, JSON_OPTION, printJson } from './command.ts';
import { table, formatTime } from './table.ts';

const add: Command = {
  name: 'members add',
  summary: 'Add a member to an account.',
  arguments: ['account', 'email'],
  examples: ['members add ada@example.com grace@example.com'],
  async run({ core, print }, input) {
    const { account } = (await actForAccount(core, input.get('account'))).caller;
    const { email } = await addMember(core, account, input.get('email'));
    print(`${email} is now a member of account ${account}.`);
  },
};

const list: Command = {
  name: 'members list',
  summary: 'List the members of an account, the owner first.',
  arguments: ['account'],
  options: JSON_OPTION,
  examples: ['members list ada@example.com'],
  async run(session, input) {
    const { account } = (await actForAccount(session.core, input.get('account'))).caller;
    const members = (await listMembers(session.core, account)).map(({ email, role, created }) => ({
      email,
      role,
      created: Math.floor(created.getTime() / 1000),
    }));
    if (input.has('json')) return printJson(session, { members });
    session.print(
      table(
        ['email', 'role', 'since'],
        members.map(({ email, role, created }) => [email, role, formatTime(created)]),
        'The account has no members.',
      ),
    );
  },
};

const remove: Command = {
  name: 'members remove',
  summary: 'Remove a member from an account.',
  arguments: ['account', 'email'],
  examples: ['members remove ada@example.com grace@example.com'],
  async run({ core, print }, input) {
    const { account } = (await actForAccount(core, input.get('account'))).caller;
    const { email } = await removeMember(core, account, input.get('email'));
    print(`${email} is no longer a member of account ${account}.`);
  },
};

export const memberCommands: readonly Command[] = [add, list, remove];
