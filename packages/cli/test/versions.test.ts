import { join } from 'node:path';
import type { Deployment, Domain } from '@berth/contract';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { createUser, envOf, inFolder, writeFiles } from './user.ts';

const server = useServer();
let number = 0;

/** Creates a user whose domain has shown these texts, one after the other. */
async function createHistory(...texts: string[]) {
  const { key } = await server().account('pro');
  const user = createUser(envOf(server(), key));
  const domain = `history-${(number += 1)}.localhost`;
  const ids: string[] = [];
  for (const text of texts) {
    const { deployment } = await server().publish({ 'index.html': text }, { key });
    ids.push(deployment);
    await user.runInProcess('domains', 'set', domain, deployment);
  }
  const shown = async () => (await server().visit(`http://${domain}:${server().port}`)).text;
  return { ...user, key, domain, ids, shown };
}

describe('berth versions', () => {
  it('lists what a domain has shown, newest first', async () => {
    const { runInProcess, domain, ids } = await createHistory('one', 'two');
    await runInProcess('deployments', 'delete', ids[0]!);
    const { out } = await runInProcess('versions', domain);
    const [heading, newest, oldest] = out.split('\n');
    expect(heading).toMatch(/^DEPLOYMENT +SHOWN FROM +UNTIL +LINKED BY +NOTE$/);
    expect(newest).toMatch(new RegExp(`^${ids[1]} .+ - +api-key +shown now$`));
    expect(oldest).toMatch(new RegExp(`^${ids[0]} .+ api-key +not available$`));
    expect((await runInProcess('versions', domain, '--limit', '1')).err).toContain('There are more rows.');
  });
});

describe('berth rollback', () => {
  it('shows the previous version of a domain, and prints how to undo the rollback', async () => {
    const { runInProcess, domain, ids, shown } = await createHistory('one', 'two');
    const { code, out, err } = await runInProcess('rollback', domain);
    expect({ code, out }).toEqual({ code: 0, out: `http://${domain}:${server().port}\n` });
    expect(err).toBe(`${domain} shows ${ids[0]} now. To undo: berth rollback ${domain} --to ${ids[1]}\n`);
    expect(await shown()).toBe('one');
    await runInProcess('rollback', domain);
    expect(await shown()).toBe('two');
  });

  it('skips a version that was deleted', async () => {
    const { runInProcess, domain, ids, shown } = await createHistory('one', 'two', 'three');
    await runInProcess('deployments', 'delete', ids[1]!);
    await runInProcess('rollback', domain);
    expect(await shown()).toBe('one');
  });

  it('shows a named version, by its id or address', async () => {
    const { runInProcess, domain, ids, shown } = await createHistory('one', 'two', 'three');
    for (const [index, name] of [ids[0]!, `http://${ids[1]}.localhost:${server().port}/`].entries()) {
      expect(await runInProcess('rollback', domain, '--to', name)).toMatchObject({ code: 0 });
      expect(await shown()).toBe(['one', 'two'][index]);
    }
  });

  it('asks on a terminal, and changes nothing if the answer is no', async () => {
    const { runOnTerminal, domain, ids, shown } = await createHistory('one', 'two');
    const { code, asked } = await runOnTerminal(['n'], 'rollback', domain);
    expect({ code, asked }).toEqual({
      code: 130,
      asked: [`${domain} shows ${ids[1]}. Show ${ids[0]} instead? [y/N]: `],
    });
    expect(await shown()).toBe('two');
    expect(await runOnTerminal([], 'rollback', domain, '--yes')).toMatchObject({ code: 0, asked: [] });
  });

  it.each([
    ['has shown one version only', ['one'], /has no earlier version\.$/m],
    [
      'showed only deleted versions before',
      ['one', 'two'],
      /all were deleted or taken down, or expire\. To list them: berth versions/,
    ],
  ])('refuses a domain that %s', async (_, texts, error) => {
    const { runInProcess, domain, ids } = await createHistory(...texts);
    if (texts.length > 1) await runInProcess('deployments', 'delete', ids[0]!);
    expect(await runInProcess('rollback', domain)).toMatchObject({
      code: 4,
      out: '',
      err: expect.stringMatching(error),
    });
  });

  it('uses the domain of berth.json', async () => {
    const { home, runInProcess, domain, shown } = await createHistory('one', 'two');
    const project = writeFiles(join(home, 'project'), {
      'berth.json': JSON.stringify({ folder: 'dist', domain: domain.split('.')[0] }),
    });
    const { out } = await inFolder(project, () => runInProcess('rollback', '--json'));
    expect((JSON.parse(out) as { domain: Domain }).domain.domain).toBe(domain);
    expect(await shown()).toBe('one');
    expect((await inFolder(project, () => runInProcess('versions'))).out).toContain('shown now');
  });
});

describe('berth prune', () => {
  /** Creates a user with three deployments that no domain shows, the newest first, and one that a domain shows. */
  async function createPruner() {
    const history = await createHistory('shown');
    const ids: string[] = [];
    for (const label of ['old', 'old', 'new']) {
      const { deployment } = await server().publish({ 'index.html': label }, { key: history.key });
      await history.runInProcess('deployments', 'label', deployment, label);
      ids.unshift(deployment);
    }
    const remaining = async () => {
      const { out } = await history.runInProcess('deployments', '--json');
      return (JSON.parse(out) as { deployments: Deployment[] }).deployments
        .filter(({ status }) => status === 'success')
        .map(({ deployment }) => deployment);
    };
    return { ...history, old: ids, linked: history.ids[0]!, remaining };
  }

  it('deletes all but the newest deployments that no domain shows, with --yes', async () => {
    const { runInProcess, old, linked, remaining } = await createPruner();
    const { code, out, err } = await runInProcess('prune', '--keep', '1', '--yes');
    expect({ code, out }).toEqual({ code: 0, out: `${old[1]}\n${old[2]}\n` });
    expect(err).toBe('Deleted 2 deployments (6 B).\n');
    expect(await remaining()).toEqual([old[0], linked]);
    expect((await runInProcess('prune', '--yes')).err).toBe('There are no old deployments to delete.\n');
  });

  it('lists the old deployments and asks on a terminal, and deletes nothing if the answer is no', async () => {
    const { runOnTerminal, old, remaining } = await createPruner();
    const { code, err, asked } = await runOnTerminal(['n'], 'prune', '--keep', '2');
    expect({ code, asked }).toEqual({
      code: 130,
      asked: ['Delete 1 deployment (3 B)? Their links stop working, and they cannot be restored. [y/N]: '],
    });
    expect(err).toMatch(new RegExp(`^DEPLOYMENT +CREATED +SIZE +LABELS\\n${old[2]} .+ 3 B +old\\n`));
    expect(await remaining()).toHaveLength(4);
    expect((await runOnTerminal(['y'], 'prune', '--keep', '2')).code).toBe(0);
    expect(await remaining()).toHaveLength(3);
  });

  it('selects deployments by label and age, and only lists them with --dry-run', async () => {
    const { runInProcess, old, remaining } = await createPruner();
    const selected = async (...words: string[]) =>
      (
        JSON.parse((await runInProcess('prune', '--dry-run', '--json', '--keep', '0', ...words)).out) as {
          deployments: string[];
        }
      ).deployments;
    expect(await selected()).toEqual(old);
    expect(await selected('--label', 'old')).toEqual(old.slice(1));
    expect(await selected('--older-than', '1h')).toEqual([]);
    await server().database.query(`update deployment set created = created - interval '2 hours' where id = $1`, [
      old[0],
    ]);
    expect(await selected('--older-than', '1h')).toEqual([old[0]]);
    expect(await remaining()).toHaveLength(4);
  });
});
