import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { useServer } from '@berth/testing/use-server';
import { startAnswering } from '@berth/testing/fake-servers';
import type { Deployment, Domain } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { createUser, envOf, inFolder, MAIN, writeFiles } from './user.ts';

const SITE = { 'index.html': '<h1>It floats.</h1>', 'css/site.css': 'h1 { color: teal }', '.env': 'SECRET=1' };

const server = useServer();

/** Creates a user who has built a site. */
function builder(more: Record<string, string> = {}) {
  const person = createUser({ ...envOf(server()), ...more });
  return { ...person, dist: writeFiles(join(person.home, 'dist'), SITE) };
}

const deploymentAt = async (url: string) =>
  (await server().api(`/deployments/${new URL(url).hostname}`)).json<Deployment & Record<string, unknown>>();

describe('berth <folder>', () => {
  it('publishes the folder, and prints only the link on standard output, without escape sequences', async () => {
    const { code, out, err } = await builder().runProgram('./dist');
    expect(code).toBe(0);
    expect(out).toMatch(/^http:\/\/[a-z]+-[a-z]+-[a-z0-9]{7}\.localhost:\d+\n$/);
    expect((await server().visit(out.trim())).text).toBe(SITE['index.html']);
    expect(await deploymentAt(out.trim())).toMatchObject({ files: 2, via: 'cli' });
    for (const escape of ['\u001b', '\r']) expect(out + err).not.toContain(escape);
    expect(err).toBe(
      'Skipped, private: .env.\n2 new; 37 B to send.\n' + /Published 2 files, 37 B, in .+\.\n$/.exec(err)![0],
    );
  });

  it.each([
    ['./logs', { 'logs/index.html': 'hi' }],
    ['publish logs', { 'logs/index.html': 'hi' }],
    ['./assets', { 'assets/a.txt': 'hi' }],
    ['publish assets', { 'assets/a.txt': 'hi' }],
    ['assets/', { 'assets/a.txt': 'hi' }],
    ['dist', { 'dist/index.html': 'hi' }],
    ['my-site', { 'my-site/index.html': 'hi' }],
    ['.', { 'a.txt': 'hi' }],
    ['--label publish dist', { 'dist/index.html': 'hi' }],
  ])('publishes a folder for the command line "berth %s"', async (words, files) => {
    const { home, runInProcess } = builder();
    writeFiles(home, files);
    const { code, out, err } = await inFolder(home, () => runInProcess(...words.split(' ')));
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Published') });
    expect((await server().visit(out.trim())).status).toBeLessThan(500);
  });

  it('prints the link so that a script can store it: URL=$(berth ./dist)', async () => {
    const { env, home } = builder();
    const script = 'URL=$("$0" "$1" ./dist 2>/dev/null) && printf "<%s>" "$URL"';
    const { stdout } = await promisify(execFile)('sh', ['-c', script, process.execPath, MAIN], { env, cwd: home });
    const [, url] = /^<(http:[^\n]+)>$/.exec(stdout)!;
    expect((await server().visit(url!)).status).toBe(200);
  });

  it('points a domain at the deployment; a name without a dot is a subdomain of the platform domain', async () => {
    const { home, runInProcess } = builder();
    writeFiles(join(home, 'dist'), { 'index.html': 'blog' });
    const freshAccount = await server().account('pro');
    const freshUser = builder({ BERTH_KEY: freshAccount.key });
    for (const time of [1, 2]) {
      writeFiles(freshUser.dist, { 'index.html': `build ${time}` });
      const { code, out, err } = await freshUser.runInProcess(freshUser.dist, '--domain', 'blog');
      expect({ code, out }).toEqual({ code: 0, out: `http://blog.localhost:${server().port}\n` });
      expect(err).toContain('blog.localhost points at the deployment.\n');
      expect(err.includes('To show the version before again: berth rollback blog.localhost\n')).toBe(time === 2);
      expect((await server().visit(out.trim())).text).toBe(`build ${time}`);
    }
    const fullNameOutcome = await runInProcess(join(home, 'dist'), '--domain', 'notes.localhost');
    expect(fullNameOutcome.out).toBe(`http://notes.localhost:${server().port}\n`);
  });

  it('prints the link of the deployment while the domain waits for DNS, and a note about the DNS records', async () => {
    const { dist, runInProcess } = builder();
    const domain = 'www.waiting-for-dns.com';
    const { out, err } = await runInProcess(dist, '--domain', domain);
    expect((await deploymentAt(out.trim())).url).toBe(out.trim());
    expect((await server().visit(out.trim())).text).toBe(SITE['index.html']);
    expect(err).toContain(`\n${domain} needs DNS records before it shows the site: berth domains records ${domain}\n`);
    expect(err).not.toContain(`${domain} points at the deployment.`);
  });

  it.each([
    ['is invalid', 4, 'www.waiting.example', 'names under ".example" are not in the public DNS'],
    ['is reserved', 4, 'www', 'this name is reserved'],
    ['is beyond the cap of the plan', 3, 'a-6', 'The plan allows 5 platform domains'],
  ])('api §3: publishes nothing if the domain %s', async (_, code, domain, message) => {
    const { key } = await server().account('free');
    for (const name of ['a-1', 'a-2', 'a-3', 'a-4', 'a-5'])
      await server().api(`/domains/${name}-${code}${domain}.localhost`, { method: 'PUT', key, json: {} });
    const { dist, runInProcess } = builder({ BERTH_KEY: key });
    const { err, ...result } = await runInProcess(dist, '--domain', domain);
    expect(result).toMatchObject({ code, out: '' });
    expect(err).toContain(message);
    expect(JSON.parse((await runInProcess('deployments', '--json')).out)).toMatchObject({ deployments: [] });
  });

  it('keeps as many versions of a domain as --keep says, with a token for the domain alone', async () => {
    const { dist, runInProcess } = builder({ BERTH_KEY: (await server().account('pro')).key });
    const token = await runInProcess('tokens', 'create', '--domain', 'kept-shop', '--keep', '1', '--json');
    const { secret, domains, keep } = (JSON.parse(token.out) as { token: Record<string, string> }).token;
    server().secrets.add(secret!);
    expect({ domains, keep }).toEqual({ domains: ['kept-shop.localhost'], keep: 1 });
    const ci = builder({ BERTH_KEY: secret! });
    const publish = () => ci.runInProcess(dist, '--domain', 'kept-shop', '--keep', '1');
    expect((await publish()).err).not.toContain('Deleted');
    const { out, err } = await publish();
    expect(err).toContain('Deleted 1 older version.\n');
    expect((await server().visit(out.trim())).text).toBe(SITE['index.html']);
    expect((await runInProcess('tokens')).out).toContain('kept-shop.localhost');
  });

  it('sets labels, a password and a time to live', async () => {
    const { dist, runInProcess } = builder();
    const options = ['--label', 'v1.2', '--label', 'ci-job', '--password', 'open sesame', '--ttl', '3d'];
    const { out, err } = await runInProcess(dist, ...options);
    const deployment = await deploymentAt(out.trim());
    expect(deployment).toMatchObject({ labels: ['v1.2', 'ci-job'], password: true });
    expect(deployment.expires).toBe(deployment.created + 3 * 24 * 60 * 60);
    expect(err).toMatch(/The deployment expires at \d{4}-\d\d-\d\d \d\d:\d\d\.\n/);
  });

  it('can be followed by a change of the password and the time to live', async () => {
    const { dist, runInProcess } = builder({ BERTH_PASSWORD: 'of publishing' });
    const { deployment } = await deploymentAt((await runInProcess(dist, '--no-password')).out.trim());
    const runUpdate = async (...options: string[]) => {
      const { code, out } = await runInProcess('deployments', 'update', deployment, '--json', ...options);
      return code === 0 ? JSON.parse(out).deployment : code;
    };
    expect(await runUpdate('--ttl', '3d')).toMatchObject({ password: false, expires: expect.any(Number) });
    expect(await runUpdate('--password', 'open sesame')).toMatchObject({ password: true, expires: expect.any(Number) });
    expect(await runUpdate('--no-password', '--no-ttl')).toMatchObject({ password: false, expires: null });
    expect(await runUpdate()).toBe(2);
    expect(await runUpdate('--password', '')).toBe(2);
  });

  it('takes the password from BERTH_PASSWORD', async () => {
    const { dist, runInProcess } = builder({ BERTH_PASSWORD: 'open sesame' });
    const { out } = await runInProcess(dist);
    expect(await deploymentAt(out.trim())).toMatchObject({ password: true });
  });

  it('takes the password from the input if the option is "-"', async () => {
    const { runProgramWithInput } = builder();
    const { out } = await runProgramWithInput('open sesame\n', './dist', '--password', '-');
    expect(await deploymentAt(out.trim())).toMatchObject({ password: true });
  });

  it.runIf(process.platform === 'linux')('hides the password from the list of processes', async () => {
    const { promise: requestReceived, resolve } = Promise.withResolvers<void>();
    const silentServer = await startAnswering(() => resolve());
    const child = builder({ BERTH_SERVER: silentServer }).startProgram('./dist', '--password', 'open sesame');
    await requestReceived;
    expect(await readFile(`/proc/${child.pid}/cmdline`, 'utf8')).not.toContain('sesame');
    child.kill('SIGINT');
    await once(child, 'close');
  });

  it('publishes without an account, and prints the claim link and when the site expires', async () => {
    const { dist, runInProcess } = builder({ BERTH_KEY: '' });
    for (const words of [[], ['--quiet']]) {
      const { code, out, err } = await runInProcess(dist, ...words);
      expect(code).toBe(0);
      expect((await server().visit(out.trim())).status).toBe(200);
      const [, claim] = /^The deployment expires at .+, unless an account claims it:\n {2}(http:.+)$/m.exec(err)!;
      expect((await server().api(new URL(claim!).pathname, { key: null })).status).toBe(200);
    }
  });

  it('prints the warnings of the server, or with --quiet only the link', async () => {
    const { dist, runInProcess } = builder();
    expect((await runInProcess(dist, '--quiet')).err).toBe('');
    writeFiles(dist, { _redirects: '/a /b 999\n' });
    expect((await runInProcess(dist)).err).toMatch(/^Warning: _redirects:1: .+$/m);
    writeFiles(dist, { 'ship.json': JSON.stringify({ routes: [], functions: {} }) });
    const { err } = await runInProcess(dist);
    for (const key of ['routes', 'functions'])
      expect(err).toMatch(new RegExp(`^Warning: ship\\.json \\(${key}\\): .+$`, 'm'));
  });

  const SPA = '<div id="root"></div><script type="module" src="/a.js"></script>';
  it.each([
    [
      'a folder without a front page',
      { 'dist/a.txt': 'hi' },
      'dist',
      'index.html',
      /no index\.html, so the link shows no page\.$/,
    ],
    [
      'the source of a project',
      { 'package.json': '{}', 'dist/index.html': 'hi' },
      '.',
      '.',
      /source of a .+ Did you mean dist\?$/,
    ],
    [
      'a single-page app',
      { 'dist/index.html': SPA },
      'dist',
      'index.html',
      /add a file _redirects with the line "\/\* \/index/,
    ],
  ])('warns of %s, and publishes the folder', async (_, files, path, file, message) => {
    const { home, runInProcess } = createUser(envOf(server()));
    const folder = join(writeFiles(join(home, 'project'), files as Record<string, string>), path);
    const { code, err } = await runInProcess(folder);
    expect({ code, warning: err.split('\n')[0] }).toEqual({ code: 0, warning: expect.stringMatching(message) });
    expect(err).toMatch(/^Warning: /);
    const { warnings } = JSON.parse((await runInProcess(folder, '--json')).out) as { warnings: unknown[] };
    expect(warnings).toEqual([{ file, line: null, at: null, message: expect.stringMatching(message) }]);
    expect((await runInProcess(folder, '--dry-run')).err).toMatch(/^Warning: /);
  });

  it('sends every file with --no-delta', async () => {
    const { dist, runInProcess } = builder();
    await runInProcess(dist);
    const { out } = await runInProcess(dist, '--no-delta', '--json');
    expect(JSON.parse(out).sent).toMatchObject({ via: 'multipart', files: 2 });
  });

  it('accepts options before and after the folder, and the word "publish"', async () => {
    const { dist, runInProcess } = builder();
    for (const words of [
      ['--label', 'v1.2', dist],
      ['publish', dist, '--label', 'v1.2'],
      ['--server', `http://localhost:${server().port}`, dist, '-l', 'v1.2'],
    ]) {
      const { out } = await runInProcess(...words);
      expect(await deploymentAt(out.trim())).toMatchObject({ labels: ['v1.2'] });
    }
  });
});

describe('berth page.html', () => {
  it('publishes the page as the front page, and sends only changes later', async () => {
    const { home, runInProcess } = builder();
    const page = join(writeFiles(home, { 'notes.html': 'one', 'secret.txt': 'private' }), 'notes.html');
    const published = await runInProcess(page, '--json');
    const { url, deployment } = JSON.parse(published.out) as { url: string; deployment: Deployment };
    expect((await server().visit(url)).text).toBe('one');
    expect(deployment.files).toBe(1);
    expect((await runInProcess(page, '--dry-run')).err).toMatch(
      /^Compared with \S+: 1 unchanged; nothing to send\. Nothing was sent\.\n$/,
    );
    writeFiles(home, { 'notes.html': 'two' });
    expect((await runInProcess(page, '--dry-run')).out).toBe('~ index.html\n');
  });

  it('accepts the name without a slash, and warns of files to which the page refers', async () => {
    const { home, runInProcess } = builder();
    writeFiles(home, { 'page.HTM': '<link href="site.css">', 'site.css': '' });
    const { code, out, err } = await inFolder(home, () => runInProcess('page.HTM'));
    expect(code).toBe(0);
    expect((await server().visit(out.trim())).text).toBe('<link href="site.css">');
    expect(err).toMatch(/^Warning: page\.HTM: The page refers to site\.css, and only the page is published\./);
  });
});

describe('berth <folder> --dry-run', () => {
  it('prints what would be sent, and sends nothing', async () => {
    const { dist, runInProcess } = builder();
    const deploymentsBefore = await server().api('/deployments?limit=1');
    const { code, out, err } = await runInProcess(dist, '--dry-run');
    expect({ code, out }).toEqual({ code: 0, out: '+ css/site.css\n+ index.html\n' });
    expect(err).toBe('Skipped, private: .env.\n2 new; at most 37 B to send. Nothing was sent.\n');
    expect((await server().api('/deployments?limit=1')).text).toBe(deploymentsBefore.text);
  });

  it('compares with what the domain shows, even if this machine did not publish it', async () => {
    const { dist, runInProcess } = builder();
    const compared = async () => (await runInProcess(dist, '--domain', 'compared', '--dry-run')).err.split('\n').at(-2);
    const own = new URL((await runInProcess(dist, '--domain', 'compared')).out.trim()).hostname;
    expect(own).toBe('compared.localhost');
    expect(await compared()).toMatch(/^Compared with \S+: 2 unchanged; nothing to send\. Nothing was sent\.$/);
    const files = Object.fromEntries(Array.from({ length: 150 }, (_, number) => [`old/${number}.txt`, `${number}`]));
    const { deployment } = await server().publish({ ...files, 'index.html': 'another site' });
    await runInProcess('domains', 'set', 'compared', deployment);
    const plan = `Compared with ${deployment}: 1 new, 1 changed, 150 removed; at most 37 B to send. Nothing was sent.`;
    expect(await compared()).toBe(plan);
    await runInProcess('domains', 'delete', 'compared');
    expect(await compared()).toBe('2 new; at most 37 B to send. Nothing was sent.');
  });

  it('lists what was added, changed and removed since the last deployment', async () => {
    const { home, dist, runInProcess } = builder();
    await runInProcess(dist);
    writeFiles(dist, { 'index.html': 'changed', 'about.html': 'new' });
    writeFiles(home, { 'dist/.berthignore': 'css/\n' });
    const { out } = await runInProcess(dist, '--dry-run');
    expect(out).toBe('+ about.html\n~ index.html\n- css/site.css\n');
  });
});

it('berth <folder> names every file with an invalid name, and how to exclude these files', async () => {
  const { dist, runInProcess } = builder();
  writeFiles(dist, { 'a?.html': 'x', 'b?.html': 'x' });
  const { code, out, err } = await runInProcess(dist);
  const [error, secondFile, next] = err.trimEnd().split('\n').slice(-3);
  const reason = 'a path must not contain any of # ? % < > " (this one has ?)';
  expect({ code, out, next }).toEqual({
    code: 4,
    out: '',
    next: 'Fix these files, or exclude them with lines in .berthignore.',
  });
  const firstPath = error!.slice('Error: '.length, 'Error: a?.html'.length);
  expect(error).toBe(`Error: ${firstPath}: ${reason} (and 1 more file).`);
  expect(secondFile).toBe(`  ${firstPath === 'a?.html' ? 'b?.html' : 'a?.html'}: ${reason}`);
});

it('berth deployments shows where each deployment is live, and why visitors may not see it', async () => {
  const { key } = await server().account('pro');
  const { runInProcess } = createUser(envOf(server(), key));
  const publishSite = (fields = {}) => server().publish({ 'index.html': 'hi' }, { key, fields });
  const [live, locked, takenDown] = [
    await publishSite(),
    await publishSite({ password: 'secret site' }),
    await publishSite(),
  ];
  for (const name of ['listed-a', 'listed-b']) await runInProcess('domains', 'set', name, live.deployment);
  await server().database.query('update deployment set taken_down = now() where id = $1', [takenDown.deployment]);
  const rows = (await runInProcess('deployments')).out.split('\n').map((line) => line.split(/ {2,}/));
  const cellsOf = ({ deployment }: Deployment) => rows.find(([id]) => id === deployment)?.slice(5, 7);
  expect(rows[0]!.slice(5, 7)).toEqual(['ACCESS', 'DOMAINS']);
  expect(cellsOf(live)).toEqual(['-', 'listed-a.localhost +1']);
  expect(cellsOf(locked)).toEqual(['password', '-']);
  expect(cellsOf(takenDown)).toEqual(['taken down', '-']);
});

it('berth --domain publishes nothing if another account owns the name, even as the first deploy of an account', async () => {
  const { dist, runInProcess } = builder();
  await runInProcess(dist, '--domain', 'taken');
  const { key } = await server().account('team');
  const stranger = createUser(envOf(server(), key));
  const { code, out, err } = await stranger.runInProcess(dist, '--domain', 'taken');
  expect({ code, out, err }).toEqual({
    code: 4,
    out: '',
    err: expect.stringMatching(/^Error: .*belongs to another account/m),
  });
  expect((await server().api('/deployments', { key })).json()).toEqual({ deployments: [] });
});

it('berth --domain links the deployment, and prints the domain as the server returns it', async () => {
  const { dist, runInProcess } = builder();
  const { out } = await runInProcess(dist, '--domain', 'linked', '--json');
  const { deployment, domain } = JSON.parse(out) as { deployment: Deployment; domain: Domain };
  expect((await server().api('/domains/linked.localhost')).json()).toEqual(domain);
  expect(domain.deployment).toBe(deployment.deployment);
});
