import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { createUser, envOf, writeFiles } from './user.ts';

const server = useServer();

/** Creates a user with an account, a folder, a deployment, a domain that shows the deployment, and a token. */
async function createOwner() {
  const { key } = await server().account('pro');
  const person = createUser(envOf(server(), key));
  const dist = writeFiles(join(person.home, 'dist'), { 'index.html': 'mine' });
  const { deployment } = await server().publish({ 'index.html': 'shown' }, { key });
  const domain = `${deployment.split('-').slice(0, 2).join('')}.localhost`;
  await person.runInProcess('domains', 'set', domain, deployment);
  const { token } = JSON.parse((await person.runInProcess('tokens', 'create', '--json')).out) as {
    token: { token: string };
  };
  const shown = async () => (await server().visit(`http://${domain}:${server().port}`)).text;
  const hasDeployment = async () => (await server().api(`/deployments/${deployment}`, { key })).status === 200;
  return { ...person, key, dist, deployment, domain, token: token.token, shown, hasDeployment };
}

type Owner = Awaited<ReturnType<typeof createOwner>>;

describe('on a terminal, berth asks before it', () => {
  const DANGERS: [title: string, words: (owner: Owner) => string[], question: (owner: Owner) => string][] = [
    [
      'deletes a deployment',
      ({ deployment }) => ['deployments', 'delete', deployment],
      ({ deployment }) => `Delete ${deployment}? The site is gone immediately, and cannot be restored. [y/N]: `,
    ],
    [
      'deletes a domain',
      ({ domain }) => ['domains', 'delete', domain],
      ({ domain }) => `Delete ${domain}? The site is no longer shown at this name. [y/N]: `,
    ],
    [
      'revokes a token',
      ({ token }) => ['tokens', 'delete', token],
      ({ token }) => `Revoke ${token}? Programs that use it stop working immediately. [y/N]: `,
    ],
    [
      'replaces what a domain shows by a publish',
      ({ dist, domain }) => [dist, '--domain', domain],
      ({ domain, deployment }) => `${domain} shows ${deployment}. Replace it? [y/N]: `,
    ],
  ];

  it.each(DANGERS)('%s, and does nothing if the answer is not yes', async (_, argumentsOf, questionOf) => {
    const owner = await createOwner();
    const commandArguments = argumentsOf(owner);
    for (const answer of ['', 'n', 'no', 'ye', 'yes please']) {
      const { code, out, err, asked } = await owner.runOnTerminal([answer], ...commandArguments);
      expect({ code, out, asked }).toEqual({ code: 130, out: '', asked: [questionOf(owner)] });
      expect(err).toBe('Nothing was changed.\n');
    }
    expect([await owner.shown(), await owner.hasDeployment()]).toEqual(['shown', true]);
  });

  it.each([['y'], ['YES']])('deletes a domain, and deletes the domain after "%s"', async (answer) => {
    const { runOnTerminal, domain } = await createOwner();
    expect(await runOnTerminal([answer], 'domains', 'delete', domain)).toMatchObject({
      code: 0,
      out: `Deleted ${domain}.\n`,
    });
  });

  it.each([['--yes'], ['-y'], ['--json']])('deletes or replaces anything, except with %s', async (option) => {
    const owner = await createOwner();
    const { dist, domain, token, runOnTerminal } = owner;
    for (const commandArguments of [
      [dist, '--domain', domain],
      ['tokens', 'delete', token],
      ['domains', 'delete', domain],
    ])
      expect(await runOnTerminal([], ...commandArguments, option)).toMatchObject({ code: 0, asked: [] });
  });
});

describe('without a terminal, berth', () => {
  it('asks nothing', async () => {
    const { dist, domain, shown, runInProcess } = await createOwner();
    expect(await runInProcess(dist, '--domain', domain)).toMatchObject({ code: 0 });
    expect(await shown()).toBe('mine');
    expect(await runInProcess('domains', 'delete', domain)).toMatchObject({ code: 0, err: '' });
  });
});

describe('on a terminal, berth asks nothing', () => {
  it('if it replaces what it published from the same folder', async () => {
    const { dist, domain, shown, runOnTerminal } = await createOwner();
    expect((await runOnTerminal(['y'], dist, '--domain', domain)).asked).toHaveLength(1);
    writeFiles(dist, { 'index.html': 'mine, again' });
    expect(await runOnTerminal([], dist, '--domain', domain)).toMatchObject({ code: 0, asked: [] });
    expect(await shown()).toBe('mine, again');
  });

  it('if a domain is new, or already shows the deployment', async () => {
    const { dist, domain, deployment, runOnTerminal } = await createOwner();
    expect(await runOnTerminal([], dist, '--domain', `new-${domain}`)).toMatchObject({ code: 0, asked: [] });
    expect(await runOnTerminal([], 'domains', 'set', domain, deployment)).toMatchObject({ code: 0, asked: [] });
  });
});

it('berth domains set asks before the domain shows another deployment', async () => {
  const { key, domain, deployment, shown, runOnTerminal } = await createOwner();
  const otherDeployment = await server().publish({ 'index.html': 'other' }, { key });
  const commandArguments = ['domains', 'set', domain, otherDeployment.deployment];
  expect(await runOnTerminal(['n'], ...commandArguments)).toMatchObject({
    code: 130,
    asked: [`${domain} shows ${deployment}. Replace it? [y/N]: `],
  });
  expect(await shown()).toBe('shown');
  expect(await runOnTerminal(['y'], ...commandArguments)).toMatchObject({ code: 0 });
  expect(await shown()).toBe('other');
});
