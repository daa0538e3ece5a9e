import { useServer } from '@berth/api/testing/vitest';
import { describe, expect, it } from 'vitest';
import { testNative } from './native.ts';
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

describe('a password (security T40)', () => {
  it('is never forgotten by accident: without it, nothing is published, and the words ask for it', async () => {
    const world = await openWorld(server(), testNative({ kept: 'memory' }));
    const { key } = await world.signIn();
    const name = nameOf();
    const path = world.build('dist', { 'index.html': 'secret' });
    const { id, url } = await world.watch(path, name, { password: 'open-sesame' });
    expect((await server().visit(url!)).status).toBe(401);
    expect(world.folder(id).password).toBe(true);

    await world.reopen(testNative({ kept: 'memory' }));
    await world.until(id, 'signed-out');
    await world.accounts.handlers.signIn({ key });
    const { state } = await world.until(id, 'failed');
    expect(state).toMatchObject({
      problem: { kind: 'refused', message: expect.stringContaining('Enter the password') },
    });
    world.build('dist', { 'index.html': 'still secret' });
    await world.folders.handlers.publishFolder({ id });
    await world.until(id, 'failed');
    expect(await world.deployments()).toHaveLength(1);
    expect((await server().visit(url!)).status).toBe(401);

    await world.folders.handlers.changeFolder({ id, password: 'open-sesame' });
    await world.until(id, 'live');
    expect(await world.deployments()).toHaveLength(2);
    expect((await server().visit(url!)).status).toBe(401);
  });
});

describe('a password that is given later (security T40)', () => {
  it('does not outlive its folder, when that is removed at the same time', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id } = await world.watch(world.build('dist', { 'index.html': 'open' }), nameOf());
    const { write } = world.native.keychain;
    const writing = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    Object.assign(world.native.keychain, {
      async write(of: string, secret: string) {
        writing.resolve();
        await gate.promise;
        await write(of, secret);
      },
    });
    const changing = expect(world.folders.handlers.changeFolder({ id, password: 'open-sesame' })).rejects.toThrow(
      'not watched any more',
    );
    await writing.promise;
    await world.folders.handlers.removeFolder({ id });
    gate.resolve();
    await changing;
    expect([...world.native.keys.keys()]).toEqual([world.origin]);
  });

  it('keeps versions without it from going live again', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id, url, live } = await world.watch(world.build('dist', { 'index.html': 'open' }), nameOf());
    await expect(world.folders.handlers.changeFolder({ id, password: 'short' })).rejects.toThrow('6 to 128');
    await world.folders.handlers.changeFolder({ id, password: 'open-sesame' });
    await eventually(async () => expect((await server().visit(url!)).status).toBe(401));
    await world.until(id, 'live');
    await expect(world.folders.handlers.undoFolder({ id })).rejects.toThrow('no password');
    await expect(world.folders.handlers.makeLive({ id, deployment: live!.deployment })).rejects.toThrow('no password');
    await world.until(id, 'live');
    expect((await server().visit(url!)).status).toBe(401);
    await world.folders.handlers.removeFolder({ id });
    expect([...world.native.keys.keys()]).toEqual([world.origin]);
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
