import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { eventually, openSignedInWorld, openWatched, openWorld, siteName, watchedId } from './watch-world.ts';

const server = useServer();

describe('a watched folder (desktop §5, §8)', () => {
  it('keeps its live version after a restart of the app and is not published again (D4)', async () => {
    const { world } = await openSignedInWorld(server());
    const originalId = await world.watchNew('dist', 'one', { labels: ['blog'] });
    await world.reopen();
    const { url, live } = originalId;
    expect(world.folder(originalId.id)).toMatchObject({ url, live, labels: ['blog'], state: { is: 'starting' } });
    expect(await world.until(originalId.id, 'live')).toEqual({ ...originalId, leftOut: [] });
    expect(await world.deployments()).toEqual([live!.deployment]);
  });

  it('stays paused after a restart, and its changes are published when it resumes (D9)', async () => {
    const { world, id, url } = await openWatched(server());
    await world.handlers.pauseFolder({ id });
    expect(await world.until(id, 'paused')).toMatchObject({ state: { why: 'asked' } });
    await world.reopen();
    world.build('dist', { 'index.html': 'two' });
    world.folders.onWake();
    // If the paused folder were deployed, its deploy would finish before this deploy.
    const otherFolder = await world.watchNew('other', 'other');
    expect(otherFolder.state).toEqual({ is: 'live' });
    expect(world.folder(id).state).toEqual({ is: 'paused', why: 'asked' });
    expect(await world.deployments()).toHaveLength(2);
    expect((await server().visit(url!)).text).toBe('one');

    await world.handlers.resumeFolder({ id });
    await world.untilPublished(id, 'two');
  });

  it('becomes live when the network is back, if the app started without a network', async () => {
    const { world, id, live } = await openWatched(server());
    world.isDown = true;
    await world.reopen();
    expect((await world.until(id, 'waiting')).state).toMatchObject({
      problem: { kind: 'network' },
      until: expect.any(Number),
    });
    expect(world.signInState()).toMatchObject({ is: 'unreachable', email: expect.stringContaining('@') });
    world.isDown = false;
    expect((await world.until(id, 'live')).live).toEqual(live);
    await eventually(() => expect(world.signInState().is).toBe('signed-in'));
    expect(await world.deployments()).toHaveLength(1);
  });

  it('whose deploy was refused is retried on request; if the folder is live already, nothing is sent', async () => {
    const world = await openWorld(server());
    const { account } = await world.signIn('free');
    const folderGrant = await world.grant(world.build('dist', { 'index.html': 'one' }));
    const domain = `www.${crypto.randomUUID()}.com`;
    const id = watchedId(await world.handlers.watch({ of: { grant: folderGrant }, domain, labels: [] }));
    const { state } = await world.until(id, 'failed');
    expect(state).toMatchObject({ problem: { kind: 'signed-out', next: expect.stringContaining('Your plan') } });
    expect(world.signInState().is).toBe('signed-in');
    const emitted = world.emitted(id).length;
    await world.handlers.publishFolder({ id });
    await eventually(() => expect(world.emitted(id).slice(emitted)).toEqual(['settling', 'publishing', 'failed']));

    await server().database.query(`update account set plan = 'scale' where id = $1`, [account]);
    await world.handlers.publishFolder({ id });
    expect(await world.until(id, 'live')).toMatchObject({ url: `http://${domain}:${server().port}`, needsDns: true });
    const requests = world.sent.length;
    await world.handlers.publishFolder({ id });
    await eventually(() => expect(world.emitted(id).slice(-3)).toEqual(['live', 'settling', 'live']));
    expect(world.sent.length).toBe(requests);

    await server().database.query(`update domain set status = 'success' where name = $1`, [domain]);
    world.folders.onWake();
    await eventually(() => expect(world.folder(id).needsDns).toBe(false));
  });

  it('with a file that cannot be published shows the name of the file, and is published once the file is deleted', async () => {
    const { world, id, url } = await openWatched(server());
    const path = world.build('dist', { 'what?.html': 'x', 'index.html': 'two' });
    const { state } = await world.until(id, 'waiting');
    expect(state).toMatchObject({ problem: { kind: 'folder', file: 'what?.html' } });
    expect((await server().visit(url!)).text).toBe('one');
    rmSync(`${path}/what?.html`);
    await world.untilPublished(id, 'two');
  });

  it('is paused by `cancelFolder`, which aborts the running deploy; the live version does not change', async () => {
    const { world, id, url } = await openWatched(server());
    world.isDown = true;
    world.build('dist', { 'index.html': 'two' });
    await world.until(id, 'publishing');
    await world.handlers.cancelFolder({ id });
    expect(world.folder(id).state).toEqual({ is: 'paused', why: 'asked' });
    world.isDown = false;
    expect((await server().visit(url!)).text).toBe('one');
    expect(await world.deployments()).toHaveLength(1);
  });

  it('finishes the running deploy before it pauses (D9)', async () => {
    const { world, id, url } = await openWatched(server());
    world.isDown = true;
    world.build('dist', { 'index.html': 'two' });
    await world.until(id, 'publishing');
    await world.handlers.pauseFolder({ id });
    expect(world.folder(id).state.is).toBe('publishing');
    world.isDown = false;
    const { live } = await world.until(id, 'paused');
    expect((await server().visit(url!)).text).toBe('two');
    expect(await world.deployments()).toContain(live!.deployment);
  });

  it('can be opened in the file manager; after the user removes the folder, its site stays online', async () => {
    const { world, path, id, url } = await openWatched(server());
    await world.handlers.showFolder({ id });
    expect(world.native.shown).toEqual([path]);
    await world.handlers.removeFolder({ id });
    expect(world.folders.list()).toEqual([]);
    await world.reopen();
    expect(world.folders.list()).toEqual([]);
    expect((await server().visit(url!)).text).toBe('one');
    await expect(world.handlers.showFolder({ id })).rejects.toThrow('no longer watched');
  });

  it('cannot be changed if folders.json cannot be written, and the user sees an error', async () => {
    const { world, id } = await openWatched(server());
    // Changes are saved one after the other, so no earlier one is pending.
    await world.handlers.pauseFolder({ id });
    for (const name of ['folders.json', 'servers.json']) {
      rmSync(join(world.dataDir, name));
      mkdirSync(join(world.dataDir, name));
    }
    await expect(world.handlers.pauseFolder({ id })).rejects.toThrow('cannot be saved');
    await expect(world.handlers.signOut()).rejects.toThrow('cannot be saved');
  });

  it('is published under a new name after a change of the name; the old name still shows the last version', async () => {
    const { world, id, url } = await openWatched(server());
    const newName = siteName();
    await world.handlers.changeFolder({ id, domain: newName });
    const renamedFolder = await world.until(id, 'live');
    expect(renamedFolder).toMatchObject({ domain: newName, url: `http://${newName}:${server().port}` });
    expect((await server().visit(renamedFolder.url!)).text).toBe('one');
    expect((await server().visit(url!)).text).toBe('one');
    await expect(world.handlers.changeFolder({ id, domain: 'api.localhost' })).rejects.toThrow('reserved');
    expect(world.folder(id).domain).toBe(newName);
  });
});

describe('starting to watch a folder (desktop §5, §6)', () => {
  it('fails with a reason for a folder that cannot be watched; the grant stays valid', async () => {
    const world = await openWorld(server());
    const path = world.build('dist', { 'index.html': 'one' });
    const file = `${world.build('other', { 'index.html': 'one' })}/index.html`;
    const folderGrant = await world.grant(path);
    const watch = (domain: string, more: object = {}) =>
      world.handlers.watch({ of: { grant: folderGrant }, domain, labels: [], ...more });
    const name = siteName();
    await expect(watch(name)).rejects.toMatchObject({ kind: 'signed-out' });
    await world.signIn();
    await expect(watch('api.localhost')).rejects.toThrow('reserved');
    await expect(watch(name, { labels: ['No label'] })).rejects.toThrow('label');
    await expect(watch(name, { password: '123' })).rejects.toThrow('6 to 128');
    await expect(watch(name, { of: { grant: await world.grant(file) } })).rejects.toThrow('Only a folder');
    expect(world.folders.list()).toEqual([]);
    expect(world.native.keys.size).toBe(1);

    const id = watchedId(await watch(name));
    await world.until(id, 'live');
    await expect(watch(name)).rejects.toThrow('Drop the item again');
    const watchedAgain = { of: { grant: await world.grant(path) } };
    await expect(watch(siteName(), watchedAgain)).rejects.toThrow('already watched');
    symlinkSync(path, `${path}-link`);
    const link = { of: { grant: await world.grant(`${path}-link`) } };
    await expect(watch(siteName(), link)).rejects.toThrow('already watched');
    const otherFolder = { of: { grant: await world.grant(world.build('third', { 'index.html': '3' })) } };
    await expect(watch(name.split('.')[0]!, otherFolder)).rejects.toThrow('is already used for');
    expect(world.folders.list()).toHaveLength(1);
  });

  it('that was watched before reads its live version from the server, without a deploy or a notification', async () => {
    const { world, path, id, url, live, domain } = await openWatched(server());
    await world.handlers.removeFolder({ id });
    world.native.focused = false;
    const watchedAgain = await world.watch(path, domain);
    await eventually(() =>
      expect(world.folder(watchedAgain.id)).toMatchObject({ url, live: { ...live, at: expect.any(Number) } }),
    );
    expect(await world.deployments()).toHaveLength(1);
    expect(world.native.notes).toEqual([]);
  });

  it('with several requests at the same time watches the folder only once', async () => {
    const { world } = await openSignedInWorld(server());
    const path = world.build('dist', { 'index.html': 'one' });
    const grants = await Promise.all([1, 2, 3].map(() => world.grant(path)));
    const requests = grants.map((grant) =>
      world.handlers.watch({ of: { grant }, domain: siteName(), labels: [], password: 'open-sesame' }),
    );
    const requestStatuses = (await Promise.allSettled(requests)).map(({ status }) => status);
    expect(requestStatuses).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(world.folders.list()).toHaveLength(1);
    expect(world.native.keys.size).toBe(2);
  });

  it('under a name of another account fails', async () => {
    const { world, id, domain } = await openWatched(server());
    await world.handlers.removeFolder({ id });
    await world.signIn();
    const folderGrant = await world.grant(world.build('other', { 'index.html': 'two' }));
    await expect(world.handlers.watch({ of: { grant: folderGrant }, domain, labels: [] })).rejects.toThrow(
      'cannot be used',
    );
  });

  it('begins with a suggested free name, which comes from the project instead of its build folder', async () => {
    const world = await openWorld(server());
    const uniqueSuffix = `p${crypto.randomUUID().slice(0, 8)}`;
    const folderGrant = await world.grant(world.build(`Ünï ${uniqueSuffix}/dist`, { 'index.html': 'one' }));
    const suggestName = (name?: string) => world.handlers.suggestName({ of: { grant: folderGrant }, name });
    const uniqueName = `uni-${uniqueSuffix}`;
    expect(await suggestName()).toEqual({ name: uniqueName, validation: null });
    await world.signIn();
    expect(await suggestName()).toMatchObject({ name: uniqueName, validation: { available: true } });
    await world.watch(world.build('other', { 'index.html': 'one' }), uniqueName);
    expect(await suggestName()).toMatchObject({ name: `${uniqueName}-2`, validation: { available: true } });
    await world.signIn();
    await world.watch(world.build('third', { 'index.html': 'one' }), `${uniqueName}-2`);
    expect(await suggestName()).toMatchObject({ name: `${uniqueName}-3`, validation: { available: true } });
    // The app does not suggest a name that the account already uses.
    await world.handlers.putDomain({ domain: `${uniqueName}-3` });
    expect(await suggestName(`${uniqueName}-3`)).toMatchObject({ validation: { available: true } });
    expect(await suggestName()).toMatchObject({ name: `${uniqueName}-4` });
    expect(await suggestName(uniqueName)).toMatchObject({ name: uniqueName, validation: { available: false } });
    expect(await suggestName('api')).toMatchObject({ name: 'api', validation: { valid: false } });
  });
});
