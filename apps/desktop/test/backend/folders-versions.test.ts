import { renameSync } from 'node:fs';
import { useServer } from '@berth/api/testing/vitest';
import { describe, expect, it } from 'vitest';
import { eventually, openWorld } from './watch-world.ts';

const server = useServer();

const nameOf = () => `site-${crypto.randomUUID().slice(0, 8)}.localhost`;

describe('earlier versions (desktop §1, §8)', () => {
  it('go live again, and no build replaces them before the folder goes on', async () => {
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
    world.folders.awake();
    await world.watch(world.build('other', { 'index.html': 'other' }), nameOf());
    expect((await server().visit(url!)).text).toBe('one');

    await world.folders.handlers.resumeFolder({ id });
    await world.untilShown(url!, 'four');
    await world.until(id, 'live');
  });

  it('are chosen by their deployment; the newest one goes live without a pause', async () => {
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

  it('leave the folder as it was when it does not work', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
    await expect(world.folders.handlers.undoFolder({ id })).rejects.toThrow('no earlier version');
    await expect(world.folders.handlers.makeLive({ id, deployment: 'calm-otter-0000000' })).rejects.toThrow(
      'no version',
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
  it('stay together when the folder is moved and its address changed; old ones go, but none that an address shows', async () => {
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
    // The oldest is the last one that is deleted.
    await eventually(async () =>
      expect(await world.deployments()).toEqual([four!.deployment, two!.deployment, foreign]),
    );
    expect((await server().visit(first!)).text).toBe('two');

    expect((await world.folders.handlers.undoFolder({ id })).deployment).toBe(two!.deployment);
    expect((await server().visit(second!)).text).toBe('two');
  });

  it('are as many as the setting says by the next deploy, also when it changes meanwhile', async () => {
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

describe('an address that is changed under Domains (desktop §8)', () => {
  it('pauses its folder, says so, and shows it again when the folder goes on', async () => {
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

  it('pauses its folder when it is deleted; the folder makes it anew when it goes on', async () => {
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

  it('leaves its folder alone when it shows the same as before', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const name = nameOf();
    const { id, url, live } = await world.watch(world.build('dist', { 'index.html': 'one' }), name);
    const told = world.told(id).length;
    await world.sites.handlers.putDomain({ domain: name, deployment: live!.deployment, labels: ['blog'] });
    world.build('dist', { 'index.html': 'two' });
    await world.untilShown(url!, 'two');
    await world.until(id, 'live');
    expect(world.told(id).slice(told)).toEqual(['settling', 'publishing', 'live']);
  });
});

describe('an answer that comes late', () => {
  it('does not hide what was published meanwhile', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id, url, live } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    world.network.hold = async (request) => {
      if (!request.includes('deployments.get')) return;
      asked.resolve();
      await gate.promise;
    };
    await world.folders.handlers.cancelFolder({ id });
    await asked.promise;
    world.build('dist', { 'index.html': 'two' });
    await world.folders.handlers.resumeFolder({ id });
    await world.untilShown(url!, 'two');
    const after = await world.until(id, 'live');
    gate.resolve();
    await world.folders.handlers.publishFolder({ id });
    await eventually(() => expect(world.told(id).slice(-2)).toEqual(['settling', 'live']));
    expect(world.folder(id).live).toEqual(after.live);
    expect(after.live).not.toMatchObject({ deployment: live!.deployment });
  });
});

describe('what is told beside the window (desktop §8)', () => {
  it('is nothing of what was live before, and is learned from the server', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const path = world.build('dist', { 'index.html': 'one' });
    const name = nameOf();
    const { id } = await world.watch(path, name);
    await world.folders.handlers.removeFolder({ id });
    world.native.lookedAt = false;
    const again = await world.watch(path, name);
    await eventually(() => expect(world.folder(again.id).live).not.toBeNull());
    expect(world.native.notes).toEqual([]);
  });

  it('does not keep a folder from being watched when the system shows no messages', async () => {
    const world = await openWorld(server());
    await world.signIn();
    world.native.lookedAt = false;
    world.native.notify = () => {
      throw new Error('There is nobody who shows messages');
    };
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
    world.build('dist', { 'index.html': 'two' });
    await world.untilShown(url!, 'two');
    await world.until(id, 'live');
  });

  it('is one note for each build, whose click opens the site, and only while nobody looks', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
    expect(world.native.notes).toEqual([]);
    world.native.lookedAt = false;
    world.build('dist', { 'index.html': 'two' });
    await world.untilShown(url!, 'two');
    await world.until(id, 'live');
    expect(world.native.notes).toMatchObject([{ title: 'dist is live', body: url }]);
    world.native.notes[0]!.onClick();
    expect(world.native.opened).toEqual([url]);
  });

  it('is one note for a folder that waits for somebody, whose click shows the folder', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
    world.native.lookedAt = false;
    world.build('dist', { 'setup.exe': 'x' });
    await world.until(id, 'waiting');
    world.build('dist', { 'index.html': 'two' });
    const looks = world.count('folders');
    await eventually(() => expect(world.count('folders')).toBeGreaterThan(looks + 1));
    expect(world.native.notes).toMatchObject([
      { title: 'dist was not published', body: expect.stringContaining('setup.exe') },
    ]);
    world.native.notes[0]!.onClick();
    expect(world.native.windows).toBe(1);
    expect(world.navigated).toEqual([{ page: 'folders', id }]);
  });
});
