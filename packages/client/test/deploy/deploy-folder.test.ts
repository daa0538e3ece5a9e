import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client.ts';
import { deployFiles, deployFolder } from '../../src/deploy/deploy.ts';
import { planFolder } from '../../src/deploy/changes.ts';
import { watchFolder } from '../../src/watch/watch-folder.ts';
import { collectEvents, writeFiles } from '../folder/folders.ts';
import { makeWorld, sha256, typesOf } from './worlds.ts';

const server = useServer();
const SITE = { 'index.html': '<h1>one</h1>', 'a/b.txt': 'text', 'a/same.txt': 'text', 'empty.txt': '' };

describe('a first deploy', () => {
  test('publishes every file of the folder and emits each step', async () => {
    const world = await makeWorld(server(), SITE);
    const { events, result } = await world.deploy({ labels: ['first-one'], via: 'cli' });
    expect(typesOf(events)).toEqual(['walked', 'hashed', 'planned', 'uploaded', 'committed']);
    expect(result).toMatchObject({ files: 4, size: 20, labels: ['first-one'], via: 'cli' });
    for (const [path, content] of Object.entries(SITE)) expect(await world.read(result, `/${path}`)).toBe(content);
  });

  test('sends each content once, in one body (api §9)', async () => {
    const world = await makeWorld(server(), SITE);
    const { events } = await world.deploy();
    expect(world.proxy.contents.toSorted()).toEqual(['<h1>one</h1>', 'text', ''].map(sha256).toSorted());
    expect(world.proxy.passed.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /trpc/deployments.begin',
      'PUT /uploads/*/contents',
      'POST /trpc/deployments.commit',
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'planned', via: 'delta', missing: { files: 3, bytes: 16 } }),
    );
    expect(events.at(-2)).toEqual({
      type: 'uploaded',
      done: { files: 3, bytes: 16 },
      total: { files: 3, bytes: 16 },
      sentBytes: 3 * 40 + 16,
    });
  });

  test('sends each content larger than a body separately, and the others together', async () => {
    const largeContent = Buffer.alloc(9 * 1024 * 1024, 'big');
    const world = await makeWorld(server(), { 'big.bin': largeContent, 'z.txt': 'z', 'a.txt': 'a' });
    const { result } = await world.deploy();
    const bodies = world.proxy.passed.filter(({ method }) => method === 'PUT').map(({ bytes }) => bytes);
    expect(bodies.toSorted((a, b) => a - b)).toEqual([41, 41, largeContent.length + 40]);
    const response = await server().visit(result.deployment, '/big.bin');
    expect(sha256(response.bytes)).toBe(sha256(largeContent));
  });

  test('works without an account, and returns a claim link', async () => {
    const world = await makeWorld(server(), SITE);
    const { result } = await world.deploy({ client: createClient({ server: world.proxy.url }) });
    expect(result.claim).toMatch(/\/claim\//);
    expect(await world.read(result, '/a/b.txt')).toBe('text');
  });

  test('fails before anything is sent if the folder has no files', async () => {
    const world = await makeWorld(server(), { '.env': 'SECRET=1' });
    await expect(world.deploy()).rejects.toMatchObject({
      kind: 'folder',
      message: 'There are no files to publish. Add at least one.',
    });
    expect(world.proxy.passed).toEqual([]);
  });
});

describe('a redeploy', () => {
  test('sends and lists only what changed (api §9)', async () => {
    const files = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f/${i}.txt`, `file ${i}`]));
    const world = await makeWorld(server(), files);
    await world.deploy();
    world.proxy.passed.length = 0;
    writeFiles(world.folder, { 'f/7.txt': 'changed', 'new.txt': 'new' });
    rmSync(join(world.folder, 'f/9.txt'));

    const { events, result } = await world.deploy();
    expect(world.proxy.passed.find(({ method }) => method === 'PUT')?.bytes).toBe(2 * 40 + 'changed'.length + 3);
    const bytes = world.proxy.passed.reduce((sum, passed) => sum + passed.bytes, 0);
    expect(bytes).toBeLessThan(1_000);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'planned',
        changes: { added: ['new.txt'], changed: ['f/7.txt'], removed: ['f/9.txt'], unchanged: 498 },
      }),
    );
    expect(result.files).toBe(500);
    expect(await world.read(result, '/f/7.txt')).toBe('changed');
    expect((await server().visit(result.deployment, '/f/9.txt')).status).toBe(404);
  });

  test('sends no content if the folder is unchanged', async () => {
    const world = await makeWorld(server(), SITE);
    const firstDeploy = await world.deploy();
    world.proxy.passed.length = 0;
    const { events, result } = await world.deploy();
    expect(world.proxy.passed.map(({ method }) => method)).toEqual(['POST', 'POST']);
    expect(typesOf(events)).toEqual(['walked', 'hashed', 'planned', 'uploaded', 'committed']);
    expect(result.deployment).not.toBe(firstDeploy.result.deployment);
    expect(await world.read(result, '/a/b.txt')).toBe('text');
  });

  test('lists every file if the server no longer has the base', async () => {
    const world = await makeWorld(server(), SITE);
    const { result: base } = await world.deploy();
    await world.client.api.deployments.delete.mutate({ deployment: base.deployment });
    writeFiles(world.folder, { 'index.html': 'two' });
    const { result } = await world.deploy();
    expect(await world.read(result, '/')).toBe('two');
    expect(await world.read(result, '/a/b.txt')).toBe('text');
  });

  test('does not use a base of another server, account or domain', async () => {
    const world = await makeWorld(server(), SITE);
    await world.deploy();
    const otherClient = createClient({ server: world.proxy.url, key: (await server().account()).key });
    const { base } = await planFolder({ folder: world.folder, client: otherClient }, world.options);
    const deployPlan = await planFolder({ folder: world.folder, client: world.client, domain: 'x' }, world.options);
    expect([base, deployPlan.base]).toEqual([null, null]);
  });
});

describe('a domain', () => {
  test('points at the new deployment after each deploy', async () => {
    const world = await makeWorld(server(), SITE);
    const domain = `d${Date.now()}.localhost`;
    const firstDeploy = await world.deploy({ domain });
    expect(typesOf(firstDeploy.events).slice(-2)).toEqual(['committed', 'linked']);
    writeFiles(world.folder, { 'index.html': 'two' });
    const { events } = await world.deploy({ domain });
    const linkedEvent = events.at(-1);
    if (linkedEvent?.type !== 'linked') throw new Error('it was not linked');
    expect((await server().visit(linkedEvent.domain.url)).text).toBe('two');
  });

  const CONFLICTS = [
    ['without a credential', { key: null }, { domain: 'x' }, 'signed-out'],
    ['with keep but without a domain', {}, { keep: 3 }, 'refused'],
    ['that expires', {}, { domain: 'x', ttl: 60 }, 'refused'],
    ['that expires without a credential', { key: null }, { ttl: 60 }, 'signed-out'],
  ] as const;
  test.each(CONFLICTS)('of a deployment %s is refused before anything is sent', async (_, as, requested, kind) => {
    const world = await makeWorld(server(), SITE);
    const client = createClient({ server: world.proxy.url, key: world.key, ...as });
    await expect(world.deploy({ client, ...requested })).rejects.toMatchObject({ kind });
    expect(world.proxy.passed).toEqual([]);
  });

  test.each([true, false])(
    'that another account owns is refused under its full and its short name, and nothing is published (delta: %s)',
    async (delta) => {
      const [owner, world] = [await makeWorld(server(), SITE), await makeWorld(server(), SITE)];
      const name = `taken-${Date.now()}`;
      await owner.deploy({ domain: `${name}.localhost` });
      for (const domain of [`${name}.localhost`, name])
        await expect(world.deploy({ domain }, { delta })).rejects.toMatchObject({
          kind: 'refused',
          message: expect.stringContaining('belongs to another account'),
        });
      expect(await world.deployments()).toBe(0);
    },
  );

  test.each([true, false])('keeps its password, unless the password is null (delta: %s)', async (delta) => {
    const world = await makeWorld(server(), SITE);
    const domain = `p${Date.now()}`;
    const deploy = async (password?: string | null) => (await world.deploy({ domain, password }, { delta })).result;
    expect(await deploy('open sesame')).toMatchObject({ password: true });
    expect(await deploy()).toMatchObject({ password: true });
    expect(await deploy(null)).toMatchObject({ password: false });
  });

  test.each([true, false])('keeps as many versions as keep says (delta: %s)', async (delta) => {
    const world = await makeWorld(server(), SITE);
    const domain = `k${Date.now()}.localhost`;
    const { result: oldest } = await world.deploy({ domain }, { delta });
    await world.deploy({ domain, keep: 2 }, { delta });
    expect((await world.deploy({ domain, keep: 2 }, { delta })).result.deleted).toEqual([oldest.deployment]);
    expect((await server().visit(oldest.deployment)).status).toBe(404);
  });

  test('can be published to with a deploy token that is limited to the domain', async () => {
    const world = await makeWorld(server(), SITE);
    const domain = `t${Date.now()}.localhost`;
    const { secret } = await world.client.api.tokens.create.mutate({ domains: [domain] });
    const client = createClient({ server: world.proxy.url, key: secret });
    const { events } = await world.deploy({ client, domain });
    expect(events.at(-1)).toMatchObject({ type: 'linked', domain: { domain } });
    await expect(world.deploy({ client, domain: 'elsewhere' })).rejects.toMatchObject({ status: 403 });
  });

  test('is published to even if the server no longer answers afterwards', async () => {
    const world = await makeWorld(server(), SITE);
    world.proxy.trouble = (_req, path) => (path.endsWith('domains.get') ? { status: 404 } : undefined);
    const { events } = await world.deploy({ domain: `s${Date.now()}` });
    expect(typesOf(events).at(-1)).toBe('committed');
  });
});

test('planFolder returns the changes and the missing contents, and sends nothing', async () => {
  const world = await makeWorld(server(), SITE);
  const deployInput = { folder: world.folder, client: world.client };
  expect(await planFolder(deployInput, world.options)).toMatchObject({
    changes: { added: ['a/b.txt', 'a/same.txt', 'empty.txt', 'index.html'], changed: [], removed: [], unchanged: 0 },
    missing: { files: 3, bytes: 16 },
    total: { files: 4, bytes: 20 },
    base: null,
  });
  expect(world.proxy.passed).toEqual([]);
  const { result } = await world.deploy();
  world.proxy.passed.length = 0;
  writeFiles(world.folder, { 'index.html': 'other', 'copy.txt': 'text' });
  expect(await planFolder(deployInput, world.options)).toMatchObject({
    changes: { added: ['copy.txt'], changed: ['index.html'], removed: [], unchanged: 3 },
    missing: { files: 1, bytes: 5 },
    base: result.deployment,
  });
  expect(world.proxy.passed).toEqual([]);
});

test.each(['', '   ', '12345', 'x'.repeat(129)])(
  'the password %.10j is refused by the client before anything is sent, and by the server',
  async (password) => {
    const { deploy, client, options, folder, proxy, deployments } = await makeWorld(server(), { 'index.html': 'hi' });
    const files = [{ path: 'index.html', content: 'hi' }];
    const refusedError = { kind: 'refused', message: expect.stringContaining('a password') };
    await expect(deploy({ password })).rejects.toMatchObject(refusedError);
    await expect(deploy({ password }, { delta: false })).rejects.toMatchObject(refusedError);
    await expect(collectEvents(deployFiles({ client, files, password }, options))).rejects.toMatchObject(refusedError);
    await expect(collectEvents(watchFolder({ client, folder, password }))).rejects.toMatchObject(refusedError);
    expect(proxy.passed).toEqual([]);
    const contents = [{ path: 'index.html', size: 2, sha256: sha256('hi') }];
    await expect(client.api.deployments.begin.mutate({ files: contents, password })).rejects.toMatchObject({
      status: 400,
      details: { issues: [{ path: 'password' }] },
    });
    expect(await deployments()).toBe(0);
  },
);

test('a program that is killed while it saves the deployment gets the same deployment from its next run', async () => {
  const world = await makeWorld(server(), { 'index.html': 'hi' });
  const storedKeys: string[] = [];
  const keepDeployment = async ({ deployment }: { deployment: string }) => {
    storedKeys.push(deployment);
    throw new Error('killed');
  };
  await expect(world.deploy({}, { onCommitted: keepDeployment })).rejects.toThrow('killed');
  const { result } = await world.deploy();
  expect(storedKeys).toEqual([result.deployment]);
  expect(await world.deployments()).toBe(1);
});

test('a site keeps its password if a change is published without the password option', async () => {
  const world = await makeWorld(server(), SITE);
  expect((await world.deploy({ password: 'open sesame' })).result.password).toBe(true);
  writeFiles(world.folder, { 'index.html': 'two' });
  expect((await world.deploy()).result.password).toBe(true);
  writeFiles(world.folder, { 'index.html': 'three' });
  expect((await world.deploy({ password: null })).result.password).toBe(false);
});

test('the cache contains neither the key nor the password', async () => {
  const world = await makeWorld(server(), SITE);
  world.proxy.trouble = (_req, path) => (path.endsWith('commit') ? { status: 400 } : undefined);
  const events = deployFolder({ folder: world.folder, client: world.client, password: 'open sesame' }, world.options);
  await expect(collectEvents(events)).rejects.toMatchObject({ kind: 'refused' });
  const files = readdirSync(world.cacheDir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(world.cacheDir, name))
    .filter((path) => statSync(path).isFile());
  // A fast machine writes no cache of the hashes, because the files are too new.
  expect(files.map((path) => path.split('/').at(-2))).toContain('unfinished');
  for (const path of files) {
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toMatch(/open sesame|ship-/);
  }
});
