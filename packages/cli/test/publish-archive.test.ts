import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Deployment } from '@berth/contract';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { createUser, envOf, inFolder, MAIN, writeFiles } from './user.ts';

const SITE = { 'index.html': '<h1>It is packed.</h1>', 'css/site.css': 'h1 { color: teal }' };

const server = useServer();

/** Creates a user who has packed a site. */
function packer(more: Record<string, string> = {}) {
  const person = createUser({ ...envOf(server()), ...more });
  const dist = writeFiles(join(person.home, 'dist'), SITE);
  for (const [name, flags] of [
    ['site.tar', '-cf'],
    ['site.tar.gz', '-czf'],
    ['SITE.TGZ', '-czf'],
  ] as const)
    execFileSync('tar', ['-C', dist, flags, join(person.home, name), '.']);
  return { ...person, dist };
}

const deploymentAt = async (url: string) =>
  (await server().api(`/deployments/${new URL(url).hostname}`)).json<Deployment & Record<string, unknown>>();

describe('berth <archive>', () => {
  it.each(['site.tar', './site.tar.gz', 'SITE.TGZ', 'publish site.tar'])(
    'api §11: publishes the archive for the command line "berth %s", and prints only the link on standard output',
    async (words) => {
      const { home, runInProcess } = packer();
      const { code, out, err } = await inFolder(home, () => runInProcess(...words.split(' '), '--label', 'v1.2'));
      expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^Published 2 files, 40 B, in .+\.\n$/) });
      expect((await server().visit(out.trim())).text).toBe(SITE['index.html']);
      expect(await deploymentAt(out.trim())).toMatchObject({ files: 2, via: 'cli', labels: ['v1.2'] });
    },
  );

  it('prints the same JSON as for a folder, without the changes', async () => {
    const { home, runInProcess } = packer();
    const { code, out } = await runInProcess(join(home, 'site.tar'), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      url: expect.stringMatching(/^http:/),
      deployment: { files: 2 },
      changes: null,
      sent: { via: 'archive', files: 1, bytes: expect.any(Number) },
      skipped: [],
    });
  });

  it('points a domain at the deployment, and asks before it replaces another deployment', async () => {
    const { home, runOnTerminal } = packer();
    const words = [join(home, 'site.tar'), '--domain', 'archived', '--keep', '1', '--password', 'open sesame'];
    expect(await runOnTerminal([], ...words)).toMatchObject({
      code: 0,
      asked: [],
      out: `http://archived.localhost:${server().port}\n`,
    });
    const { code, asked } = await runOnTerminal(['n'], ...words);
    expect({ code, asked }).toEqual({ code: 130, asked: [expect.stringContaining('archived.localhost shows')] });
  });

  it('names a refused file, and says how to publish without it', async () => {
    const { home, dist, runInProcess } = packer();
    writeFiles(dist, { '.env': 'SECRET=1' });
    execFileSync('tar', ['-C', dist, '-cf', join(home, 'secret.tar'), '.']);
    const { code, err } = await runInProcess(join(home, 'secret.tar'));
    expect({ code, err }).toEqual({
      code: 4,
      err: expect.stringContaining('Change .env, or leave it out of the archive.'),
    });
  });

  it.each([
    [4, ['missing.zip'], 'The archive missing.zip does not exist'],
    [4, ['notes.zip'], 'notes.zip is not an archive. It must be a tar, tar.gz, tar.zst or zip'],
    [2, ['site.tar', '--dry-run'], 'Unpack the archive and pass its folder'],
    [2, ['site.tar', '--build'], 'Omit the archive to use both'],
    [2, ['-', '--password', '-'], 'Set BERTH_PASSWORD instead'],
  ])('fails with exit code %i for %j', async (code, words, message) => {
    const { home, runInProcess } = packer();
    writeFiles(home, { 'notes.zip': 'just text' });
    const outcome = await inFolder(home, () => runInProcess(...words));
    expect(outcome).toEqual({ code, out: '', err: expect.stringContaining(message) });
  });

  it('publishes a folder whose name ends like that of an archive', async () => {
    const { home, runInProcess } = packer();
    const folder = writeFiles(join(home, 'my.zip'), { 'index.html': 'a folder' });
    const { out } = await runInProcess(folder);
    expect((await server().visit(out.trim())).text).toBe('a folder');
  });
});

describe('berth -', () => {
  it.each(['tar -C dist -c .', 'tar -C dist -cz .'])('publishes the output of "%s"', async (pack) => {
    const { env, home } = packer();
    const script = `${pack} | "$0" "$1" -`;
    const { stdout } = await promisify(execFile)('sh', ['-c', script, process.execPath, MAIN], { env, cwd: home });
    expect((await server().visit(stdout.trim())).text).toBe(SITE['index.html']);
  });

  it('fails for an empty standard input', async () => {
    expect(await packer().runProgramWithInput('', '-')).toEqual({
      code: 4,
      out: '',
      err: expect.stringContaining('There are no bytes in the stream. It must be an archive'),
    });
  });

  it('refuses a terminal, and says how to pipe an archive', async () => {
    expect(await packer().runOnTerminal([], '-')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('Pipe an archive in: tar -c . | berth -'),
    });
  });
});
