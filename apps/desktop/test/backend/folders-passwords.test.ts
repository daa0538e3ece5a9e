import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { stopAtWrite, TestNative } from './native.ts';
import { eventually, openWatched } from './watch-world.ts';

const server = useServer();

const WITH_PASSWORD = { password: 'open-sesame' };

describe('the password of a watched folder (T40)', () => {
  it('can be lost; then nothing is published until the user enters the password again or removes it', async () => {
    const { world, key, id, url } = await openWatched(server(), { ...WITH_PASSWORD, native: new TestNative('memory') });
    expect((await server().visit(url!)).status).toBe(401);
    expect(world.folder(id).password).toBe(true);

    await world.reopen(new TestNative('memory'));
    await world.until(id, 'signed-out');
    await world.handlers.signIn({ key });
    expect((await world.until(id, 'failed')).state).toMatchObject({
      problem: { kind: 'refused', message: expect.stringContaining('Enter the password') },
    });
    world.build('dist', { 'index.html': 'still secret' });
    await world.handlers.publishFolder({ id });
    await world.until(id, 'failed');
    expect(await world.deployments()).toHaveLength(1);
    expect((await server().visit(url!)).status).toBe(401);

    await world.handlers.changeFolder({ id, ...WITH_PASSWORD });
    await world.until(id, 'live');
    expect(await world.deployments()).toHaveLength(2);
    expect((await server().visit(url!)).status).toBe(401);

    await world.reopen(new TestNative('memory'));
    await world.handlers.signIn({ key });
    await world.until(id, 'failed');
    await world.handlers.changeFolder({ id, labels: ['blog'] });
    expect(world.folder(id)).toMatchObject({ labels: ['blog'], password: true });
    await world.handlers.changeFolder({ id, password: null });
    await world.untilPublished(id, 'still secret');
  });

  it('is deleted if it is set while the folder is being removed', async () => {
    const { world, id } = await openWatched(server());
    const passwordWrite = stopAtWrite(world.native);
    const changing = expect(world.handlers.changeFolder({ id, ...WITH_PASSWORD })).rejects.toThrow('no longer');
    await passwordWrite.reached;
    await world.handlers.removeFolder({ id });
    passwordWrite.letGo();
    await changing;
    expect([...world.native.keys.keys()]).toEqual([world.origin]);
  });

  it('prevents an earlier version without a password from becoming live', async () => {
    const { world, id, url, live } = await openWatched(server());
    await expect(world.handlers.changeFolder({ id, password: 'short' })).rejects.toThrow('6 to 128');
    await world.handlers.changeFolder({ id, ...WITH_PASSWORD });
    await eventually(async () => expect((await server().visit(url!)).status).toBe(401));
    await world.until(id, 'live');
    await expect(world.handlers.undoFolder({ id })).rejects.toThrow('no password');
    await expect(world.handlers.makeLive({ id, deployment: live!.deployment })).rejects.toThrow('no password');
    await world.until(id, 'live');
    expect((await server().visit(url!)).status).toBe(401);
    await world.handlers.removeFolder({ id });
    expect([...world.native.keys.keys()]).toEqual([world.origin]);
  });
});

describe('removing a password (T40)', () => {
  it('unlocks the site immediately and deletes the password from the keychain; earlier versions keep the password', async () => {
    const { world, id, url, live } = await openWatched(server(), WITH_PASSWORD);
    expect((await server().visit(url!)).status).toBe(401);

    await world.handlers.changeFolder({ id, password: null });
    expect(world.folder(id).password).toBe(false);
    expect([...world.native.keys.keys()]).toEqual([world.origin]);
    const open = await world.untilPublished(id, 'one');
    expect(open).toMatchObject({ url, password: false });
    const { versions } = await world.handlers.listVersions({ id });
    expect(versions.map(({ deployment }) => deployment)).toEqual([open.live!.deployment, live!.deployment]);
    expect((await server().visit(versions[1]!.url)).status).toBe(401);

    await world.reopen();
    await world.until(id, 'live');
    expect(world.folder(id).password).toBe(false);
    expect(await world.deployments()).toHaveLength(2);
    expect((await server().visit(url!)).text).toBe('one');
  });

  it('from a paused folder unlocks its live version only when the folder resumes', async () => {
    const { world, id, url } = await openWatched(server(), WITH_PASSWORD);
    await world.handlers.pauseFolder({ id });
    await world.handlers.changeFolder({ id, password: null });
    expect(world.folder(id)).toMatchObject({ password: false, state: { is: 'paused', why: 'asked' } });
    expect((await server().visit(url!)).status).toBe(401);
    await world.handlers.resumeFolder({ id });
    await world.untilPublished(id, 'one');
  });

  it('fails if the keychain cannot delete the password, and the site stays locked', async () => {
    const { world, id, url } = await openWatched(server(), WITH_PASSWORD);
    world.native.keychain.remove = () => Promise.reject(new Error('locked'));
    await expect(world.handlers.changeFolder({ id, password: null, labels: ['blog'] })).rejects.toThrow(
      'could not delete the password',
    );
    expect(world.folder(id)).toMatchObject({ password: true, labels: [] });
    await eventually(() => expect(world.emitted(id).slice(-2)).toEqual(['starting', 'live']));
    expect(await world.deployments()).toHaveLength(1);
    expect((await server().visit(url!)).status).toBe(401);
  });
});
