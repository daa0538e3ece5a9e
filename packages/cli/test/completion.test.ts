import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createUser, writeFiles } from './user.ts';

const isHere = (program: string) => spawnSync(program, ['--version']).status === 0;

describe.each(['bash', 'zsh', 'fish'])('the completion for %s', (shell) => {
  it('names every command and option', async () => {
    const { out } = await createUser().runInProcess('completion', shell);
    const names = 'publish deployments completion verify dry-run no-password no-delta follow server';
    for (const name of names.split(' ')) expect(out).toContain(name);
  });

  it.skipIf(!isHere(shell))('is a valid script for the shell', async () => {
    const { home, runInProcess } = createUser();
    const file = join(home, 'completion');
    writeFileSync(file, (await runInProcess('completion', shell)).out);
    const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

it.each(['tcsh', 'powershell'])('berth completion refuses %s, and lists the supported shells', async (shell) => {
  expect(await createUser().runInProcess('completion', shell)).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('Allowed choices are bash, zsh, fish'),
  });
});

describe.skipIf(!isHere('bash'))('completion in bash', () => {
  /** Returns the words with which bash completes a line. */
  async function completionsOf(line: string): Promise<string[]> {
    const { home, runInProcess } = createUser();
    mkdirSync(join(home, 'dist'));
    writeFiles(home, { 'notes.txt': '', 'page.html': '', 'site.tar.gz': '' });
    const words = line.split(' ').map((word) => `'${word}'`);
    const bashScript = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _berth; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const script = `${(await runInProcess('completion', 'bash')).out}\n${bashScript}`;
    const { stdout } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8', cwd: home });
    return stdout.split('\n').filter((word) => word !== '');
  }

  it.each([
    ['berth dep', ['deployments']],
    ['berth domains ver', ['verify']],
    ['berth domains verify --se', ['--server']],
    ['berth tokens create --t', ['--ttl']],
    ['berth completion --q', ['--quiet']],
    ['berth dis', ['dist']],
    ['berth publish si', ['site.tar.gz']],
    ['berth preview p', ['page.html']],
    ['berth rollback --t', ['--to']],
    ['berth pr', ['preview', 'prune']],
    ['berth watch d', ['dist']],
    ['berth completion z', ['zsh']],
    ['berth no', []],
    ['berth ./dist --dry', ['--dry-run']],
  ])('completes "%s" to one of %j', async (line, words) => {
    expect(await completionsOf(line)).toEqual(words);
  });
});
