import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import type { FolderState, WatchedFolder } from '../../src/shared/folder.ts';
import { type Desktop, makeSite, openSignedIn } from './desktop.ts';
import { SCAFFOLDS } from './scaffolds.ts';

const server = useServer();
const FAST = { watchRule: { quietMs: 100, graceMs: 200 } };
const BUILD_PAGE = 'mkdir -p _site && echo built-$(cat text) > _site/index.html';
const nameOf = () => `project-${crypto.randomUUID().slice(0, 8)}`;

/** Creates a project of Eleventy whose build script is a line of the shell. It also counts its builds. */
function makeProject(script: string = BUILD_PAGE): string {
  const build = `echo built >> node_modules/builds && ${script}`;
  const manifest = { ...JSON.parse(SCAFFOLDS.eleventy['package.json']), scripts: { build } };
  const root = makeSite({ 'package.json': JSON.stringify(manifest), text: 'one' }, 'project');
  mkdirSync(join(root, 'node_modules'));
  return root;
}

const buildsOf = (root: string) => readFileSync(join(root, 'node_modules/builds'), 'utf8').trim().split('\n').length;

async function ask(desktop: Desktop, root: string) {
  const [given] = await desktop.backend.give([root]);
  const of = { grant: given!.grant };
  const { question } = await desktop.ask('checkFolder', { of });
  return { of, sure: question!.anyway, build: question!.build!.command };
}

/** Watches a project as the dialog does, with the command that its question proposes. */
async function watchProject(desktop: Desktop, root: string): Promise<void> {
  const input = { ...(await ask(desktop, root)), domain: nameOf(), labels: [], password: null };
  expect((await desktop.ask('watch', input)).is).toBe('watched');
}

const folderOf = async (desktop: Desktop): Promise<WatchedFolder> =>
  (await desktop.ask('readState', undefined)).folders[0]!;

async function until<S extends FolderState['is']>(desktop: Desktop, is: S) {
  await expect.poll(async () => (await folderOf(desktop)).state.is, { timeout: 20_000 }).toBe(is);
  const folder = await folderOf(desktop);
  return folder as WatchedFolder & { state: Extract<FolderState, { is: S }> };
}

async function untilShown(desktop: Desktop, text: string): Promise<void> {
  const shown = async () => {
    const { state, url } = await folderOf(desktop);
    return state.is === 'live' ? (await server().visit(url!)).text.trim() : state.is;
  };
  await expect.poll(shown, { timeout: 20_000 }).toBe(text);
}

describe('a project whose sources are watched (desktop §8.17)', () => {
  it('is built and published at once, and again each time its sources have changed', async () => {
    const desktop = await openSignedIn(server(), 'scale', FAST);
    const root = makeProject();
    await watchProject(desktop, root);
    await untilShown(desktop, 'built-one');
    writeFileSync(join(root, 'text'), 'two');
    await untilShown(desktop, 'built-two');
    expect(await folderOf(desktop)).toMatchObject({
      name: 'project',
      path: root,
      build: { command: 'npm run build', isRunning: false },
    });
    expect(desktop.emitted.some(({ data }) => JSON.stringify(data).includes('"is":"building"'))).toBe(true);
    expect(buildsOf(root)).toBe(2);
  }, 60_000);

  it('is built again after a restart of the app and on request, and is an update when it is dropped', async () => {
    const first = await openSignedIn(server(), 'scale', FAST);
    const root = makeProject();
    await watchProject(first, root);
    await untilShown(first, 'built-one');
    await first.backend.close();
    writeFileSync(join(root, 'text'), 'two');
    const desktop = await first.restart();
    await untilShown(desktop, 'built-two');
    const builds = buildsOf(root);
    await desktop.ask('publishFolder', { id: (await folderOf(desktop)).id });
    await until(desktop, 'building');
    await until(desktop, 'live');
    expect(buildsOf(root)).toBe(builds + 1);
    const { state } = await desktop.until(await desktop.dropSite(root), 'asking');
    expect(state.question.about).toBe('update');
  }, 60_000);

  it('keeps its live version while its build fails, shows the output, and is published once the sources are right', async () => {
    const desktop = await openSignedIn(server(), 'scale', FAST);
    const root = makeProject(
      `rm -rf _site && mkdir _site && (grep . text || (echo text is empty; exit 1)) && ${BUILD_PAGE}`,
    );
    await watchProject(desktop, root);
    await untilShown(desktop, 'built-one');
    writeFileSync(join(root, 'text'), '');
    const { state, url, build } = await until(desktop, 'failed');
    expect(state.problem.message).toBe('The build failed: npm run build ended with exit code 1.');
    expect(build!.text).toContain('text is empty\n');
    expect((await server().visit(url!)).text).toBe('built-one\n');
    writeFileSync(join(root, 'text'), 'two');
    await untilShown(desktop, 'built-two');
  }, 60_000);

  it('is not built without end if its build writes into the sources', async () => {
    const desktop = await openSignedIn(server(), 'scale', FAST);
    const root = makeProject(`date +%N > generated && ${BUILD_PAGE}`);
    await watchProject(desktop, root);
    await untilShown(desktop, 'built-one');
    expect(buildsOf(root)).toBe(2);
    writeFileSync(join(root, 'text'), 'two');
    await untilShown(desktop, 'built-two');
    expect(buildsOf(root)).toBe(3);
  }, 60_000);

  it('is paused by a cancelled build, which ends', async () => {
    const desktop = await openSignedIn(server(), 'scale', FAST);
    const root = makeProject('node -e "console.log(process.pid); setInterval(() => {}, 1000)"');
    await watchProject(desktop, root);
    const pidOf = async () => Number(/^(\d+)$/m.exec((await folderOf(desktop)).build?.text ?? '')?.[1] ?? 0);
    await expect.poll(pidOf, { timeout: 20_000 }).toBeGreaterThan(0);
    const pid = await pidOf();
    expect(desktop.backend.summary().status).toBe('working');
    await desktop.ask('cancelFolder', { id: (await folderOf(desktop)).id });
    expect((await folderOf(desktop)).state.is).toBe('paused');
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  }, 60_000);

  it('that was moved is reported as missing, and is built at its new place', async () => {
    const desktop = await openSignedIn(server(), 'scale', FAST);
    const root = makeProject();
    await watchProject(desktop, root);
    await untilShown(desktop, 'built-one');
    const moved = join(dirname(root), 'moved');
    renameSync(root, moved);
    expect((await until(desktop, 'missing')).state.reason).toBe('gone');
    writeFileSync(join(moved, 'text'), 'two');
    rmSync(join(moved, '_site'), { recursive: true });
    const { of, sure } = await ask(desktop, moved);
    const { id } = await folderOf(desktop);
    expect(await desktop.ask('locateFolder', { id, grant: of.grant, sure })).toEqual({ is: 'located' });
    await untilShown(desktop, 'built-two');
    expect((await folderOf(desktop)).path).toBe(moved);
  }, 60_000);

  it('is not watched if it is built by another command than the user has approved', async () => {
    const desktop = await openSignedIn(server());
    const root = makeProject();
    const input = { ...(await ask(desktop, root)), build: 'rm -rf /', domain: nameOf(), labels: [], password: null };
    await expect(desktop.ask('watch', input)).rejects.toMatchObject({
      message: 'The build command of this project has changed. Choose the folder again.',
    });
    expect(existsSync(join(root, 'node_modules/builds'))).toBe(false);
  });
});
