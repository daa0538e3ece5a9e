import { join } from 'node:path';
import type { Deployment } from '@berth/contract';
import { startAnswering } from '@berth/testing/fake-servers';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { createUser, envOf, inFolder, writeFiles } from './user.ts';

const server = useServer();

/** Creates a user with a project, in whose folder the commands run. */
async function createProject(project: object, env?: Record<string, string>) {
  const { key } = await server().account('pro');
  const user = createUser(env ?? envOf(server(), key));
  const folder = writeFiles(join(user.home, 'project'), {
    'berth.json': JSON.stringify(project),
    'dist/index.html': 'built',
    'dist/app.js.map': '{}',
  });
  return {
    ...user,
    key,
    folder,
    run: (...words: string[]) => inFolder(folder, () => user.runInProcess(...words)),
    runOnTerminal: (answers: string[], ...words: string[]) =>
      inFolder(folder, () => user.runOnTerminal(answers, ...words)),
  };
}

describe('berth in a folder with berth.json', () => {
  it('publishes its folder at its domain, without what it ignores', async () => {
    const { run } = await createProject({ folder: 'dist', domain: 'project', ignore: ['*.map'] });
    const { code, out, err } = await run();
    expect({ code, out }).toEqual({ code: 0, out: `http://project.localhost:${server().port}\n` });
    expect(err).toContain('Skipped, ignored: app.js.map.\n');
    expect((await run('--dry-run')).err).toContain('1 unchanged; nothing to send.');
  });

  it('lets options override the domain, and publishes a temporary deployment without it', async () => {
    const { run } = await createProject({ folder: 'dist', domain: 'overridden' });
    expect((await run('--domain', 'staging')).out).toBe(`http://staging.localhost:${server().port}\n`);
    for (const words of [['--ttl', '1h'], ['preview']])
      expect(JSON.parse((await run(...words, '--json')).out)).toMatchObject({ domain: null });
  });

  it('does not publish berth.json itself', async () => {
    const { run, folder } = await createProject({ folder: '.' });
    writeFiles(folder, { 'index.html': 'plain' });
    const { deployment } = JSON.parse((await run('--json')).out) as { deployment: Deployment };
    expect(deployment.files).toBe(3);
  });

  it('runs the build command with --build, and publishes nothing if it fails', async () => {
    const { run, folder } = await createProject({ folder: 'dist', build: 'printf fresh > dist/index.html' });
    expect((await server().visit((await run('--build')).out.trim())).text).toBe('fresh');
    writeFiles(folder, { 'berth.json': '{"folder":"dist","build":"exit 3"}' });
    expect(await run('--build')).toMatchObject({
      code: 4,
      out: '',
      err: expect.stringContaining('The build failed with exit code 3: exit 3'),
    });
  });

  it('is not used if a folder is named', async () => {
    const { run } = await createProject({ folder: 'dist', domain: 'unused', nonsense: true });
    expect((await run('./dist')).out).not.toContain('unused');
    expect(await run('./dist', '--build')).toMatchObject({ code: 2 });
    expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining('there is no field "nonsense"') });
  });
});

it('berth without a folder and without berth.json says what to do', async () => {
  const { home, runInProcess } = createUser();
  for (const words of [['watch'], ['--json'], ['preview']])
    expect(await inFolder(home, () => runInProcess(...words))).toMatchObject({
      code: 2,
      err: expect.stringContaining('berth init'),
    });
  expect((await inFolder(home, () => runInProcess())).err).toContain('Usage: berth');
});

describe('a server in berth.json', () => {
  /** Creates a project with a server, and a user whose default server is another one. */
  async function createForeignProject(stored: Record<string, string> = {}, env: Record<string, string> = {}) {
    const requests: string[] = [];
    const other = await startAnswering((req, res) => {
      requests.push(`${req.method} ${req.headers.authorization ?? 'no key'}`);
      res.writeHead(503).end();
    });
    const project = await createProject({ folder: 'dist', server: other }, env);
    writeFiles(project.home, { '.config/berth/config.json': JSON.stringify({ keys: stored }) });
    return { ...project, other, requests };
  }

  it.each([[[]], [['--yes']], [['--json']]])(
    'is refused without a terminal and a stored key, with options %j',
    async (words) => {
      const { run, other, requests } = await createForeignProject({}, { BERTH_KEY: `ship-${'a'.repeat(32)}` });
      const { code, err } = await run(...words);
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(err).toContain(`set BERTH_SERVER=${other} or sign in: berth login --server ${other}`);
    },
  );

  it('is used on a terminal only after a question, which names what is sent', async () => {
    const { runOnTerminal, other, requests } = await createForeignProject({}, { BERTH_KEY: `ship-${'a'.repeat(32)}` });
    for (const words of [[], ['--yes']]) {
      const { code, asked } = await runOnTerminal(['n'], ...words);
      expect({ code, asked, requests }).toEqual({
        code: 130,
        asked: [`berth.json names the server ${other}. Send the folder and the key in BERTH_KEY there? [y/N]: `],
        requests: [],
      });
    }
  });

  it('is used if a key for exactly this server is stored', async () => {
    const { key } = await server().account();
    const address = `http://localhost:${server().port}`;
    const { run, home } = await createProject({ folder: 'dist', server: address }, {});
    writeFiles(home, { '.config/berth/config.json': JSON.stringify({ keys: { [address]: key } }) });
    const { code, out } = await run();
    expect(code).toBe(0);
    expect((await server().visit(out.trim())).text).toBe('built');
  });

  it('is overridden by --server and BERTH_SERVER', async () => {
    const { run, requests, key } = await createForeignProject({}, {});
    const words = ['--server', `http://localhost:${server().port}`];
    expect((await run(...words)).code).toBe(0);
    const { run: runWithVariable } = await createProject(
      { folder: 'dist', server: 'https://b.example' },
      envOf(server(), key),
    );
    expect((await runWithVariable()).code).toBe(0);
    expect(requests).toEqual([]);
  });
});
