import { renameSync } from 'node:fs';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { eventually, openWorld } from './watch-world.ts';

const server = useServer();

const nameOf = () => `site-${crypto.randomUUID().slice(0, 8)}.localhost`;

describe('making an earlier version live (desktop §1, §8)', () => {
  it('pauses the folder, so that no build replaces the earlier version before it resumes', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const path = world.build('dist', { 'index.html': 'one' });
    const { id, url } = await world.watch(path, nameOf());
    for (const text of ['two', 'three']) {
      world.build('dist', { 'index.html': text });
      await world.untilShown(url!, text);
      await world.until(id, 'live');
    }
    const { versions } = await world.folders.handlers.listVersions({ id });
    expect(versions.map(({ live }) => live)).toEqual([true, false, false]);

    const undone = await world.folders.handlers.undoFolder({ id });
    expect(undone).toEqual({ ...versions[1], live: true });
    expect((await server().visit(url!)).text).toBe('two');
    expect(world.folder(id)).toMatchObject({
      state: { is: 'paused', why: 'earlier-version' },
      live: { deployment: versions[1]!.deployment },
    });
    await world.folders.handlers.undoFolder({ id });
    expect((await server().visit(url!)).text).toBe('one');
    await expect(world.folders.handlers.undoFolder({ id })).rejects.toThrow('no earlier version');
    expect(world.folder(id).state).toEqual({ is: 'paused', why: 'earlier-version' });

    await world.reopen();
    world.build('dist', { 'index.html': 'four' });
    world.folders.onWake();
    await world.watch(world.build('other', { 'index.html': 'other' }), nameOf());
    expect((await server().visit(url!)).text).toBe('one');

    await world.folders.handlers.resumeFolder({ id });
    await world.untilShown(url!, 'four');
    await world.until(id, 'live');
  });

  it('makes the chosen deployment live, and does not pause if it is the newest version', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
    world.build('dist', { 'index.html': 'two' });
    await world.untilShown(url!, 'two');
    await world.until(id, 'live');
    const [newest, oldest] = (await world.folders.handlers.listVersions({ id })).versions;
    await world.folders.handlers.makeLive({ id, deployment: newest!.deployment });
    await world.until(id, 'live');
    await world.folders.handlers.makeLive({ id, deployment: oldest!.deployment });
    expect((await server().visit(url!)).text).toBe('one');
    expect(world.folder(id).state).toEqual({ is: 'paused', why: 'earlier-version' });
    expect((await world.folders.handlers.listVersions({ id })).versions.map(({ live }) => live)).toEqual([false, true]);
    await world.folders.handlers.makeLive({ id, deployment: newest!.deployment });
    expect((await server().visit(url!)).text).toBe('two');
    expect(await world.until(id, 'paused')).toMatchObject({ state: { why: 'asked' } });
  });

  it('leaves the folder unchanged if it fails', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
    await expect(world.folders.handlers.undoFolder({ id })).rejects.toThrow('no earlier version');
    await expect(world.folders.handlers.makeLive({ id, deployment: 'calm-otter-0000000' })).rejects.toThrow(
      'no longer has version',
    );
    world.build('dist', { 'index.html': 'two' });
    await world.untilShown(url!, 'two');
    await world.until(id, 'live');
    world.network.down = true;
    await expect(world.folders.handlers.undoFolder({ id })).rejects.toMatchObject({ kind: 'network' });
    expect(world.folder(id).state.is).not.toBe('paused');
    world.network.down = false;
    await world.until(id, 'live');
    expect((await server().visit(url!)).text).toBe('two');
  });
});

describe('the versions of a folder (desktop §1)', () => {
  it('keeps the versions when the folder is moved and its address changes; prunes old ones, except those that a domain shows', async () => {
    const world = await openWorld(server());
    const { key } = await world.signIn();
    const { deployment: foreign } = await server().publish({ 'index.html': 'by hand' }, { key });
    const path = world.build('dist', { 'index.html': 'one' });
    const { id, url: first } = await world.watch(path, nameOf());
    const { live: one } = world.folder(id);

    renameSync(path, `${path}-2`);
    world.build('dist-2', { 'index.html': 'two' });
    await world.folders.handlers.locateFolder({ id, grant: await world.grant(`${path}-2`) });
    await world.untilShown(first!, 'two');
    const { live: two } = await world.until(id, 'live');
    const next = nameOf();
    await world.folders.handlers.changeFolder({ id, domain: next });
    const { live: three, url: second } = await world.until(id, 'live');
    const versions = async () =>
      (await world.folders.handlers.listVersions({ id })).versions.map(({ deployment, live }) => ({
        deployment,
        live,
      }));
    expect(await versions()).toEqual([
      { deployment: three!.deployment, live: true },
      { deployment: two!.deployment, live: false },
      { deployment: one!.deployment, live: false },
    ]);

    world.settings = { ...world.settings, keepVersions: 1 };
    world.build('dist-2', { 'index.html': 'four' });
    await world.untilShown(second!, 'four');
    const { live: four } = await world.until(id, 'live');
    // The oldest version is deleted last.
    await eventually(async () =>
      expect(await world.deployments()).toEqual([four!.deployment, two!.deployment, foreign]),
    );
    expect((await server().visit(first!)).text).toBe('two');

    expect((await world.folders.handlers.undoFolder({ id })).deployment).toBe(two!.deployment);
    expect((await server().visit(second!)).text).toBe('two');
  });

  it('prunes to the number in the settings after the next deploy, also after the setting has changed', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
    const publish = async (text: string) => {
      world.build('dist', { 'index.html': text });
      await world.untilShown(url!, text);
      return (await world.until(id, 'live')).live!.deployment;
    };
    await publish('two');
    const three = await publish('three');
    expect(await world.deployments()).toHaveLength(3);
    world.settings = { ...world.settings, keepVersions: 2 };
    const four = await publish('four');
    await eventually(async () => expect(await world.deployments()).toEqual([four, three]));
  });
});

describe('a domain that is changed on the page Domains (desktop §8)', () => {
  it('pauses the folder of the domain with a reason; resuming shows the folder again', async () => {
    const world = await openWorld(server());
    const { key } = await world.signIn();
    const name = nameOf();
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), name);
    const other = await world.watch(world.build('other', { 'index.html': 'other' }), nameOf());
    const { deployment } = await server().publish({ 'index.html': 'elsewhere' }, { key });
    await world.sites.handlers.putDomain({ domain: name, deployment });
    expect(await world.until(id, 'paused')).toMatchObject({ state: { why: 'address-changed' }, url });
    await eventually(() => expect(world.folder(id).live).toMatchObject({ deployment }));
    world.build('dist', { 'index.html': 'two' });
    await world.reopen();
    await world.until(other.id, 'live');
    expect(world.folder(id).state).toEqual({ is: 'paused', why: 'address-changed' });
    expect((await server().visit(url!)).text).toBe('elsewhere');

    await world.folders.handlers.resumeFolder({ id });
    await world.untilShown(url!, 'two');
    await world.until(id, 'live');
  });

  it('pauses the folder of a deleted domain; resuming creates the domain again', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const name = nameOf();
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), name);
    await world.sites.handlers.deleteDomain({ domain: name });
    expect(await world.until(id, 'paused')).toMatchObject({ state: { why: 'address-changed' }, url: null, live: null });
    await world.folders.handlers.resumeFolder({ id });
    await world.untilShown(url!, 'one');
    expect(await world.until(id, 'live')).toMatchObject({ url });
  });

  it('does not pause the folder if the domain still shows the same deployment', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const name = nameOf();
    const { id, url, live } = await world.watch(world.build('dist', { 'index.html': 'one' }), name);
    const emitted = world.emitted(id).length;
    await world.sites.handlers.putDomain({ domain: name, deployment: live!.deployment, labels: ['blog'] });
    world.build('dist', { 'index.html': 'two' });
    await world.untilShown(url!, 'two');
    await world.until(id, 'live');
    expect(world.emitted(id).slice(emitted)).toEqual(['settling', 'publishing', 'live']);
  });
});

describe('a late answer about the live version', () => {
  it('does not replace a version that was published in the meantime', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id, url, live } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
    const requested = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    world.network.hold = async (request) => {
      if (!request.includes('deployments.get')) return;
      requested.resolve();
      await gate.promise;
    };
    await world.folders.handlers.cancelFolder({ id });
    await requested.promise;
    world.build('dist', { 'index.html': 'two' });
    await world.folders.handlers.resumeFolder({ id });
    await world.untilShown(url!, 'two');
    const after = await world.until(id, 'live');
    gate.resolve();
    await world.folders.handlers.publishFolder({ id });
    await eventually(() => expect(world.emitted(id).slice(-2)).toEqual(['settling', 'live']));
    expect(world.folder(id).live).toEqual(after.live);
    expect(after.live).not.toMatchObject({ deployment: live!.deployment });
  });
});

describe('notifications about watched folders (desktop §8)', () => {
  it('does not notify about a live version that is read from the server', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const path = world.build('dist', { 'index.html': 'one' });
    const name = nameOf();
    const { id } = await world.watch(path, name);
    await world.folders.handlers.removeFolder({ id });
    world.native.focused = false;
    const again = await world.watch(path, name);
    await eventually(() => expect(world.folder(again.id).live).not.toBeNull());
    expect(world.native.notes).toEqual([]);
  });

  it('watches a folder even if the system cannot show notifications', async () => {
    const world = await openWorld(server());
    await world.signIn();
    world.native.focused = false;
    world.native.notify = () => {
      throw new Error('Notifications are not available');
    };
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
    world.build('dist', { 'index.html': 'two' });
    await world.untilShown(url!, 'two');
    await world.until(id, 'live');
  });

  it('notifies once for each build while the window is in the background; a click opens the site', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
    expect(world.native.notes).toEqual([]);
    world.native.focused = false;
    world.build('dist', { 'index.html': 'two' });
    await world.untilShown(url!, 'two');
    await world.until(id, 'live');
    expect(world.native.notes).toMatchObject([{ title: 'dist is live', body: url }]);
    world.native.notes[0]!.onClick();
    expect(world.native.opened).toEqual([url]);
  });

  it('notifies once when a folder needs the user to act; a click shows the folder', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
    world.native.focused = false;
    world.build('dist', { 'setup.exe': 'x' });
    await world.until(id, 'waiting');
    world.build('dist', { 'index.html': 'two' });
    const before = world.count('folders');
    await eventually(() => expect(world.count('folders')).toBeGreaterThan(before + 1));
    expect(world.native.notes).toMatchObject([
      { title: 'dist was not published', body: expect.stringContaining('setup.exe') },
    ]);
    world.native.notes[0]!.onClick();
    expect(world.native.windows).toBe(1);
    expect(world.navigated).toEqual([{ page: 'folders', id }]);
  });
});
