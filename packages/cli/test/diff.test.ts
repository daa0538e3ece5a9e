import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { createUser, envOf, inFolder, writeFiles } from './user.ts';

const server = useServer();
let editors = 0;

const LIVE = {
  'index.html': '<h1>one</h1>\n<p>same</p>\n',
  'docs/index.html': 'old page\n',
  'about.html': 'about\n',
  'photo.jpg': Buffer.from([0xff, 0xd8, 0, 1]),
  'removed.txt': 'gone\n',
  'same.txt': 'same\n',
};

/** Creates a user with a folder that differs from what a domain shows. */
async function createEditor(options: { password?: string } = {}) {
  const { key } = await server().account('pro');
  const user = createUser(envOf(server(), key));
  const dist = writeFiles(join(user.home, 'project/dist'), LIVE);
  const name = `shown-${(editors += 1)}`;
  const words = options.password === undefined ? [] : ['--password', options.password];
  const { out } = await user.runInProcess(dist, '--domain', name, '--json', ...words);
  const { deployment, domain } = JSON.parse(out) as {
    deployment: { deployment: string; url: string };
    domain: { domain: string };
  };
  writeFiles(dist, {
    'index.html': '<h1>two</h1>\n<p>same</p>\n',
    'docs/index.html': 'new page\n',
    'photo.jpg': Buffer.from([0xff, 0xd8, 0, 2]),
    'new file.txt': 'new\n',
    '.berthignore': 'removed.txt\n',
  });
  return { ...user, key, dist, deployment: deployment.deployment, url: deployment.url, domain: domain.domain, name };
}

const LINES = [
  '~ docs/index.html  9 B -> 9 B',
  '~ index.html       25 B -> 25 B',
  '+ new file.txt     4 B',
  '~ photo.jpg        4 B -> 4 B',
  '- removed.txt      5 B',
];

describe('berth diff', () => {
  it('lists what publishing the folder would change', async () => {
    const { dist, url, deployment, domain, name, runInProcess } = await createEditor();
    for (const site of [domain, name, deployment, url]) {
      const { code, out, err } = await runInProcess('diff', dist, site);
      expect({
        code,
        lines: out
          .trimEnd()
          .split('\n')
          .map((line) => line.replaceAll(/ {2,}/g, '  ')),
      }).toEqual({
        code: 0,
        lines: LINES.map((line) => line.replaceAll(/ {2,}/g, '  ')),
      });
      expect(err).toBe(`1 added (4 B), 3 changed (38 B), 1 removed (5 B), 2 unchanged.\nCompared with ${url}\n`);
    }
  });

  it('compares with the last deployment of the folder if no site is named, and finds no changes', async () => {
    const { dist, home, url, runInProcess } = await createEditor();
    writeFiles(home, { 'other/index.html': 'hi' });
    const published = await runInProcess(join(home, 'other'));
    expect(await runInProcess('diff', join(home, 'other'))).toEqual({
      code: 0,
      out: '',
      err: `No changes: 1 equal files.\nCompared with ${published.out.trim()}\n`,
    });
    expect(published.out.trim()).not.toBe(url);
    expect(await runInProcess('diff', dist)).toMatchObject({ code: 2, err: expect.stringContaining('Name a domain') });
  });

  it('uses the folder and the domain of berth.json', async () => {
    const { home, dist, url, name, runInProcess } = await createEditor();
    const project = writeFiles(join(home, 'project'), {
      'berth.json': JSON.stringify({ folder: 'dist', domain: name, ignore: ['photo.jpg'] }),
    });
    const run = (...words: string[]) => inFolder(project, () => runInProcess('diff', ...words));
    expect((await run()).out).toContain('- photo.jpg ');
    const explicit = await run(dist);
    expect(explicit.out).toContain('~ photo.jpg ');
    expect(explicit.err).toContain(`Compared with ${url}`);
  });

  it('prints the sizes with --json', async () => {
    const { dist, deployment, runInProcess } = await createEditor();
    expect(JSON.parse((await runInProcess('diff', dist, deployment, '--json')).out)).toEqual({
      deployment,
      added: [{ path: 'new file.txt', size: 4 }],
      changed: [
        { path: 'docs/index.html', size: 9, sizeBefore: 9 },
        { path: 'index.html', size: 25, sizeBefore: 25 },
        { path: 'photo.jpg', size: 4, sizeBefore: 4 },
      ],
      removed: [{ path: 'removed.txt', size: 5 }],
      unchanged: 2,
    });
  });

  it('shows the changed text with --patch', async () => {
    const { dist, deployment, runInProcess } = await createEditor();
    const { code, out } = await runInProcess('diff', dist, deployment, '--patch');
    expect(code).toBe(0);
    expect(out).toBe(
      [
        '--- a/docs/index.html',
        '+++ b/docs/index.html',
        '@@ -1,1 +1,1 @@',
        '-old page',
        '+new page',
        '--- a/index.html',
        '+++ b/index.html',
        '@@ -1,2 +1,2 @@',
        '-<h1>one</h1>',
        '+<h1>two</h1>',
        ' <p>same</p>',
        '--- /dev/null',
        '+++ b/new file.txt',
        '@@ -0,0 +1,1 @@',
        '+new',
        '# photo.jpg: not a text file',
        '--- a/removed.txt',
        '+++ /dev/null',
        '@@ -1,1 +0,0 @@',
        '-gone',
        '',
      ].join('\n'),
    );
  });

  it('compares the text of pages that have a shorter address, and prints a note if a site does not serve its files', async () => {
    const { home, key, runInProcess } = await createEditor();
    const files = { 'index.html': 'one\n', 'ship.json': '{"cleanUrls":true}' };
    const { deployment } = await server().publish(files, { key });
    const folder = writeFiles(join(home, 'clean'), { ...files, 'index.html': 'two\n' });
    expect((await runInProcess('diff', folder, deployment, '--patch')).out).toContain('-one\n+two\n');
    const secret = await createEditor({ password: 'open sesame' });
    expect((await secret.runInProcess('diff', secret.dist, secret.deployment, '--patch')).out).toContain(
      '# index.html: the site does not serve this file as it was published\n',
    );
  });

  it.each([
    ['a domain that does not exist', ['missing.localhost'], 4],
    ['--patch with --json', ['--patch', '--json'], 2],
  ])('refuses %s', async (_, words, code) => {
    const { dist, runInProcess } = await createEditor();
    expect(await runInProcess('diff', dist, ...words)).toMatchObject({ code, out: '' });
  });
});
