import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { stopAtWrite, testNative } from './native.ts';
import { eventually, openWorld } from './watch-world.ts';

const server = useServer();

const nameOf = () => `site-${crypto.randomUUID().slice(0, 8)}.localhost`;

describe('the password of a watched folder (T40)', () => {
  it('publishes nothing while the password is lost, and asks for it', async () => {
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

describe('a password that is set later (T40)', () => {
  it('deletes the password if its folder is removed at the same time', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const { id } = await world.watch(world.build('dist', { 'index.html': 'open' }), nameOf());
    const writing = stopAtWrite(world.native);
    const changing = expect(world.folders.handlers.changeFolder({ id, password: 'open-sesame' })).rejects.toThrow(
      'no longer watched',
    );
    await writing.reached;
    await world.folders.handlers.removeFolder({ id });
    writing.letGo();
    await changing;
    expect([...world.native.keys.keys()]).toEqual([world.origin]);
  });

  it('does not make earlier versions live that have no password', async () => {
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

describe('removing a password (T40)', () => {
  it('unlocks the site at the same address immediately and deletes the password from the keychain; earlier versions keep it', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const withPassword = { password: 'open-sesame' };
    const { id, url, live } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf(), withPassword);
    expect((await server().visit(url!)).status).toBe(401);

    await world.folders.handlers.changeFolder({ id, password: null });
    expect(world.folder(id).password).toBe(false);
    expect([...world.native.keys.keys()]).toEqual([world.origin]);
    await world.untilShown(url!, 'one');
    const open = await world.until(id, 'live');
    expect(open).toMatchObject({ url, password: false });
    const { versions } = await world.folders.handlers.listVersions({ id });
    expect(versions.map(({ deployment }) => deployment)).toEqual([open.live!.deployment, live!.deployment]);
    expect((await server().visit(versions[1]!.url)).status).toBe(401);

    await world.reopen();
    await world.until(id, 'live');
    expect(world.folder(id).password).toBe(false);
    expect(await world.deployments()).toHaveLength(2);
    expect((await server().visit(url!)).text).toBe('one');
  });

  it('can remove a password that is lost, and change other settings of its folder', async () => {
    const world = await openWorld(server(), testNative({ kept: 'memory' }));
    const { key } = await world.signIn();
    const withPassword = { password: 'open-sesame' };
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf(), withPassword);
    await world.reopen(testNative({ kept: 'memory' }));
    await world.accounts.handlers.signIn({ key });
    await world.until(id, 'failed');
    await world.folders.handlers.changeFolder({ id, labels: ['blog'] });
    expect(world.folder(id)).toMatchObject({ labels: ['blog'], password: true });
    await world.folders.handlers.changeFolder({ id, password: null });
    await world.untilShown(url!, 'one');
    await world.until(id, 'live');
  });

  it('keeps the live version of a paused folder locked until the folder resumes', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const withPassword = { password: 'open-sesame' };
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf(), withPassword);
    await world.folders.handlers.pauseFolder({ id });
    await world.folders.handlers.changeFolder({ id, password: null });
    expect(world.folder(id)).toMatchObject({ password: false, state: { is: 'paused', why: 'asked' } });
    expect((await server().visit(url!)).status).toBe(401);
    await world.folders.handlers.resumeFolder({ id });
    await world.untilShown(url!, 'one');
    await world.until(id, 'live');
  });

  it('keeps the password and the lock, and reports an error, if the keychain cannot delete the password', async () => {
    const world = await openWorld(server());
    await world.signIn();
    const withPassword = { password: 'open-sesame' };
    const { id, url } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf(), withPassword);
    world.native.keychain.remove = () => Promise.reject(new Error('locked'));
    await expect(world.folders.handlers.changeFolder({ id, password: null, labels: ['blog'] })).rejects.toThrow(
      'could not delete the password',
    );
    expect(world.folder(id)).toMatchObject({ password: true, labels: [] });
    await eventually(() => expect(world.emitted(id).slice(-2)).toEqual(['starting', 'live']));
    expect(await world.deployments()).toHaveLength(1);
    expect((await server().visit(url!)).status).toBe(401);
  });
});
