import { renameSync } from 'node:fs';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { eventually, openSignedInWorld, openWatched, siteName } from './watch-world.ts';

const server = useServer();

describe('making an earlier version live (desktop §1, §8.22)', () => {
  it('pauses the folder, so that no build replaces the earlier version before the folder resumes', async () => {
    const { world, id, url } = await openWatched(server());
    await world.rebuild(id, 'two');
    await world.rebuild(id, 'three');
    const { versions } = await world.handlers.listVersions({ id });
    expect(versions.map(({ live }) => live)).toEqual([true, false, false]);

    const undoneFolder = await world.handlers.undoFolder({ id });
    expect(undoneFolder).toEqual({ ...versions[1], live: true });
    expect((await server().visit(url!)).text).toBe('two');
    expect(world.folder(id)).toMatchObject({
      state: { is: 'paused', why: 'earlier-version' },
      live: { deployment: versions[1]!.deployment },
    });
    await world.handlers.undoFolder({ id });
    expect((await server().visit(url!)).text).toBe('one');
    await expect(world.handlers.undoFolder({ id })).rejects.toThrow('no earlier version');
    expect(world.folder(id).state).toEqual({ is: 'paused', why: 'earlier-version' });

    await world.reopen();
    world.build('dist', { 'index.html': 'four' });
    world.folders.onWake();
    await world.watchNew('other', 'other');
    expect((await server().visit(url!)).text).toBe('one');

    await world.handlers.resumeFolder({ id });
    await world.untilPublished(id, 'four');
  });

  it('makes the chosen deployment live, and does not pause if it is the newest version', async () => {
    const { world, id, url } = await openWatched(server());
    await world.rebuild(id, 'two');
    const [newest, oldest] = (await world.handlers.listVersions({ id })).versions;
    await world.handlers.makeLive({ id, deployment: newest!.deployment });
    await world.until(id, 'live');
    await world.handlers.makeLive({ id, deployment: oldest!.deployment });
    expect((await server().visit(url!)).text).toBe('one');
    expect(world.folder(id).state).toEqual({ is: 'paused', why: 'earlier-version' });
    expect((await world.handlers.listVersions({ id })).versions.map(({ live }) => live)).toEqual([false, true]);
    await world.handlers.makeLive({ id, deployment: newest!.deployment });
    expect((await server().visit(url!)).text).toBe('two');
    expect(await world.until(id, 'paused')).toMatchObject({ state: { why: 'asked' } });
  });

  it('leaves the folder unchanged if the server cannot be reached', async () => {
    const { world, id, url } = await openWatched(server());
    await expect(world.handlers.undoFolder({ id })).rejects.toThrow('no earlier version');
    await expect(world.handlers.makeLive({ id, deployment: 'calm-otter-0000000' })).rejects.toThrow(
      'no longer has version',
    );
    await world.rebuild(id, 'two');
    world.isDown = true;
    await expect(world.handlers.undoFolder({ id })).rejects.toMatchObject({ kind: 'network' });
    expect(world.folder(id).state.is).not.toBe('paused');
    world.isDown = false;
    await world.until(id, 'live');
    expect((await server().visit(url!)).text).toBe('two');
  });
});

describe('the versions of a folder (desktop §1)', () => {
  it('survive a change of the address and a move of the folder; old versions are pruned unless a domain shows them', async () => {
    const { world, key } = await openSignedInWorld(server());
    const { deployment: foreign } = await server().publish({ 'index.html': 'by hand' }, { key });
    const { id, path, url: first, live: one } = await world.watchNew('dist', 'one');

    renameSync(path, `${path}-2`);
    expect((await world.until(id, 'missing')).state).toEqual({ is: 'missing', reason: 'gone' });
    world.build('dist-2', { 'index.html': 'two' });
    const folderGrant = await world.grant(`${path}-2`);
    await world.handlers.locateFolder({ id, grant: folderGrant });
    await expect(world.handlers.locateFolder({ id, grant: folderGrant })).rejects.toThrow('Drop the item again');
    const { live: two, ...moved } = await world.untilPublished(id, 'two');
    expect(moved).toMatchObject({ path: `${path}-2`, name: 'dist-2', url: first });
    await world.handlers.changeFolder({ id, domain: siteName() });
    const { live: three, url: second } = await world.until(id, 'live');
    const { versions } = await world.handlers.listVersions({ id });
    expect(versions.map(({ deployment, live }) => [deployment, live])).toEqual([
      [three!.deployment, true],
      [two!.deployment, false],
      [one!.deployment, false],
    ]);

    world.settings = { ...world.settings, keepVersions: 1 };
    world.build('dist-2', { 'index.html': 'four' });
    const { live: four } = await world.untilPublished(id, 'four');
    // The oldest version is the last one that the prune deletes.
    await eventually(async () =>
      expect(await world.deployments()).toEqual([four!.deployment, two!.deployment, foreign]),
    );
    expect((await server().visit(first!)).text).toBe('two');

    expect((await world.handlers.undoFolder({ id })).deployment).toBe(two!.deployment);
    expect((await server().visit(second!)).text).toBe('two');
  });

  it('are pruned to the number in the settings after the next deploy, even if the setting has changed', async () => {
    const { world, id } = await openWatched(server());
    await world.rebuild(id, 'two');
    const { live: three } = await world.rebuild(id, 'three');
    expect(await world.deployments()).toHaveLength(3);
    world.settings = { ...world.settings, keepVersions: 2 };
    const { live: four } = await world.rebuild(id, 'four');
    await eventually(async () => expect(await world.deployments()).toEqual([four!.deployment, three!.deployment]));
  });
});

describe('changing the domain of a watched folder on the page Domains (desktop §8)', () => {
  it('pauses the folder with a reason; when the folder resumes, the domain shows the folder again', async () => {
    const { world, key, id, url, domain } = await openWatched(server());
    const otherFolder = await world.watchNew('other', 'other');
    const { deployment } = await server().publish({ 'index.html': 'elsewhere' }, { key });
    await world.handlers.putDomain({ domain, deployment });
    expect(await world.until(id, 'paused')).toMatchObject({ state: { why: 'address-changed' }, url });
    await eventually(() => expect(world.folder(id).live).toMatchObject({ deployment }));
    world.build('dist', { 'index.html': 'two' });
    await world.reopen();
    await world.until(otherFolder.id, 'live');
    expect(world.folder(id).state).toEqual({ is: 'paused', why: 'address-changed' });
    expect((await server().visit(url!)).text).toBe('elsewhere');

    await world.handlers.resumeFolder({ id });
    await world.untilPublished(id, 'two');
  });

  it('or deleting the domain pauses the folder; when the folder resumes, the domain is created again', async () => {
    const { world, id, url, domain } = await openWatched(server());
    await world.handlers.deleteDomain({ domain });
    expect(await world.until(id, 'paused')).toMatchObject({ state: { why: 'address-changed' }, url: null, live: null });
    await world.handlers.resumeFolder({ id });
    expect(await world.untilPublished(id, 'one')).toMatchObject({ url });
  });

  it('does not pause the folder if the domain still shows the same deployment', async () => {
    const { world, id, live, domain } = await openWatched(server());
    const emitted = world.emitted(id).length;
    await world.handlers.putDomain({ domain, deployment: live!.deployment, labels: ['blog'] });
    await world.rebuild(id, 'two');
    expect(world.emitted(id).slice(emitted)).toEqual(['settling', 'publishing', 'live']);
  });

  it('does not hide the version that was published last, even if an earlier response arrives late', async () => {
    const { world, id, live } = await openWatched(server());
    const requestReceived = Promise.withResolvers<void>();
    const heldResponse = Promise.withResolvers<void>();
    world.hold = async (request) => {
      if (!request.includes('deployments.get')) return;
      requestReceived.resolve();
      await heldResponse.promise;
    };
    await world.handlers.cancelFolder({ id });
    await requestReceived.promise;
    world.build('dist', { 'index.html': 'two' });
    await world.handlers.resumeFolder({ id });
    const secondState = await world.untilPublished(id, 'two');
    heldResponse.resolve();
    await world.handlers.publishFolder({ id });
    await eventually(() => expect(world.emitted(id).slice(-2)).toEqual(['settling', 'live']));
    expect(world.folder(id).live).toEqual(secondState.live);
    expect(secondState.live).not.toMatchObject({ deployment: live!.deployment });
  });
});

describe('notifications about watched folders (desktop §8)', () => {
  it('may fail without any effect on the watched folders', async () => {
    const { world } = await openSignedInWorld(server());
    world.native.focused = false;
    world.native.notify = () => {
      throw new Error('Notifications are not available');
    };
    const { id } = await world.watchNew('dist', 'one');
    await world.rebuild(id, 'two');
  });

  it('are shown once for each build while the window is in the background; a click opens the site', async () => {
    const { world, id, url } = await openWatched(server());
    expect(world.native.notes).toEqual([]);
    world.native.focused = false;
    await world.rebuild(id, 'two');
    expect(world.native.notes).toMatchObject([{ title: 'dist is live', body: url }]);
    expect(world.native.notes).toMatchObject([{ about: id, link: url }]);
  });

  it('are shown once when a folder needs the user to act; a click shows the folder', async () => {
    const { world, id } = await openWatched(server());
    world.native.focused = false;
    world.build('dist', { 'what?.html': 'x' });
    await world.until(id, 'waiting');
    world.build('dist', { 'index.html': 'two' });
    const folderEventsBefore = world.count('folders');
    await eventually(() => expect(world.count('folders')).toBeGreaterThan(folderEventsBefore + 1));
    expect(world.native.notes).toMatchObject([
      { title: 'dist was not published', body: expect.stringContaining('what?.html') },
    ]);
    expect(world.native.notes).toMatchObject([{ about: id, link: null, target: { page: 'folders', id } }]);
  });
});
