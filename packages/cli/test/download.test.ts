import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startAnswering } from '@berth/testing/fake-servers';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { createUser, envOf, inFolder, MAIN, writeFiles } from './user.ts';

const server = useServer();

/** Creates a user who has published a deployment that a domain of its own shows. */
async function publisher() {
  const { key } = await server().account('pro');
  const user = createUser(envOf(server(), key));
  const dist = writeFiles(join(user.home, 'dist'), { 'index.html': 'live', 'large.bin': Buffer.alloc(17 * 1024 ** 2) });
  const domain = `kept-${Math.random().toString(36).slice(2)}`;
  const { out } = await user.runInProcess(dist, '--domain', domain, '--json');
  const { deployment } = (JSON.parse(out) as { deployment: { deployment: string } }).deployment;
  return { ...user, domain, deployment };
}

describe('berth download', () => {
  it('writes a tar of a deployment and a zip of what a domain shows, which can be published', async () => {
    const { home, domain, deployment, runInProcess } = await publisher();
    const results = await inFolder(home, async () => [
      await runInProcess('download', deployment),
      await runInProcess('download', domain, 'site.zip'),
    ]);
    const files = [`${deployment}.tar`, 'site.zip'];
    expect(results).toEqual(
      files.map((file) => ({ code: 0, out: `${file}\n`, err: expect.stringContaining('Downloaded 1') })),
    );
    for (const file of files) {
      const { out } = await runInProcess(join(home, file));
      expect((await server().visit(out.trim())).text).toBe('live');
    }
  });

  it('writes a tar to standard output', async () => {
    const { env, home, domain } = await publisher();
    const script = `"$0" "$1" download ${domain} - | tar -t`;
    const { stdout } = await promisify(execFile)('sh', ['-c', script, process.execPath, MAIN], { env, cwd: home });
    expect(stdout.trim().split('\n').toSorted()).toEqual(['index.html', 'large.bin']);
  });

  it('overwrites a file only after a question or with --yes', async () => {
    const { home, deployment, runInProcess, runOnTerminal } = await publisher();
    writeFiles(home, { 'old.tar': 'old' });
    const words = ['download', deployment, join(home, 'old.tar')];
    expect(await runInProcess(...words)).toMatchObject({ code: 2, err: expect.stringContaining('already exists') });
    expect(await runOnTerminal(['n'], ...words)).toMatchObject({ code: 130 });
    expect(readFileSync(join(home, 'old.tar'), 'utf8')).toBe('old');
    expect(await runInProcess(...words, '--yes')).toMatchObject({ code: 0 });
    expect(readFileSync(join(home, 'old.tar')).length).toBeGreaterThan(17 * 1024 ** 2);
  });

  it('keeps the old file and no draft if the download breaks off', async () => {
    const { home, env, deployment, runInProcess } = await publisher();
    const breaking = await startAnswering((req, res) => {
      if (!req.url!.endsWith('/archive')) {
        void fetch(`${env['BERTH_SERVER']}${req.url}`, { headers: { authorization: req.headers.authorization! } })
          .then((response) => response.text())
          .then((text) => res.setHeader('Content-Type', 'application/json').end(text));
        return;
      }
      res.writeHead(200, { 'Content-Length': 1_000 });
      res.write('part', () => res.destroy());
    });
    writeFiles(home, { 'old.tar': 'old' });
    const words = ['download', deployment, join(home, 'old.tar'), '--yes', '--server', breaking];
    expect(await runInProcess(...words)).toMatchObject({ code: 5, err: expect.stringContaining('broke off') });
    expect(readFileSync(join(home, 'old.tar'), 'utf8')).toBe('old');
    expect(readdirSync(home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('refuses a folder, and says how to unpack the archive', async () => {
    const { home, deployment, runInProcess } = await publisher();
    for (const folder of [home, 'site/'])
      expect(await runInProcess('download', deployment, folder)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`tar -x -C ${folder}`),
      });
  });
});
