import { useServer } from '@berth/testing/use-server';
import { beforeEach, describe, expect, it } from 'vitest';
import { createUser, envOf } from './user.ts';

const server = useServer();
let account: string;
let user: ReturnType<typeof createUser>;
beforeEach(async () => {
  const created = await server().account('team');
  ({ account } = created);
  user = createUser(envOf(server(), created.key));
});

/** Adds a member. @returns The id. */
async function addJo(): Promise<string> {
  const [row] = await server().database.query<{ id: string }>(
    `insert into member (account_id, email, role, created) values ($1, 'jo@example.com', 'member', now()) returning id`,
    [account],
  );
  return `mem-${row!.id}`;
}

describe('berth members', () => {
  it('lists the members, the owner first', async () => {
    const member = await addJo();
    const { code, out } = await user.runInProcess('members');
    expect(code).toBe(0);
    expect(out).toMatch(/^E-MAIL +ROLE +SINCE +MEMBER\n\S+@test +owner .*\njo@example\.com +member .*\n$/);
    expect(out).toContain(member);
  });

  it('removes a member by the e-mail address after a question', async () => {
    await addJo();
    const declined = await user.runOnTerminal(['n'], 'members', 'remove', 'jo@example.com');
    expect(declined.asked[0]).toContain('Remove jo@example.com?');
    expect(declined.code).not.toBe(0);
    expect((await user.runInProcess('members')).out).toContain('jo@example.com');
    expect((await user.runOnTerminal(['y'], 'members', 'remove', 'JO@example.com')).out).toBe(
      'Removed jo@example.com.\n',
    );
    expect((await user.runInProcess('members')).out).not.toContain('jo@example.com');
  });

  it('refuses a person who is not a member', async () => {
    expect(await user.runInProcess('members', 'remove', 'nobody@example.com')).toMatchObject({
      code: 2,
      err: expect.stringContaining('To list the members: berth members'),
    });
  });
});

describe('berth invites', () => {
  it('prints only the link of a new invitation, lists the invitation without it, and deletes it', async () => {
    const { out, err } = await user.runInProcess('invites', 'create', 'Grace@example.com');
    expect(out).toMatch(/^http:\/\/\S+\/app\/invite#[0-9a-f]{32}\n$/);
    expect(err).toContain('Send this link to grace@example.com.');
    const list = (await user.runInProcess('invites')).out;
    const [invite] = /inv-[a-z0-9]{7}/.exec(list)!;
    expect(list).not.toContain(out.trim().slice(-32));
    expect((await user.runInProcess('invites', 'delete', invite)).out).toBe(`Deleted ${invite}.\n`);
    expect((await user.runInProcess('invites')).err).toContain('There are no open invitations.');
  });
});

describe('berth account', () => {
  it('renames the account, and removes the name', async () => {
    expect((await user.runInProcess('account', 'rename', 'The shop')).out).toBe(
      'The account is now called The shop.\n',
    );
    expect((await user.runInProcess('account')).out).toMatch(/^name +The shop$/m);
    expect((await user.runInProcess('account', 'rename', '')).out).toBe('The account has no name now.\n');
  });

  it('deletes the account only for the right e-mail address, or with --yes', async () => {
    const email = /^e-mail +(\S+)$/m.exec((await user.runInProcess('account')).out)![1]!;
    expect(await user.runInProcess('account', 'delete')).toMatchObject({ code: 2, out: '' });
    const declined = await user.runOnTerminal(['yes'], 'account', 'delete');
    expect(declined).toMatchObject({ out: '', asked: [expect.stringContaining(`Type ${email} to delete`)] });
    expect((await user.runInProcess('account')).code).toBe(0);
    expect((await user.runOnTerminal([email], 'account', 'delete')).out).toBe(`Deleted the account of ${email}.\n`);
    expect((await user.runInProcess('account')).code).toBe(3);
  });
});
