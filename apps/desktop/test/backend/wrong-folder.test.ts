import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { expect, test } from 'vitest';
import type { CommandOutput } from '../../src/shared/contract.ts';
import type { FolderQuestion, NextDropOptions } from '../../src/shared/publishing.ts';
import type { Contents } from '../harness/app/folders.ts';
import { makeSite, openSignedIn } from './desktop.ts';
import { siteName, watchedId } from './watch-world.ts';

const server = useServer();

const PROJECT = { 'package.json': '{}', 'dist/index.html': 'the build', 'src/a.ts': '' };
const PASSWORD = { password: 'open-sesame' };

async function questionOf(asked: Promise<CommandOutput<'watch' | 'locateFolder'>>): Promise<FolderQuestion> {
  const answer = await asked;
  if (answer.is === 'asking') return answer.question;
  throw new Error('The app asked nothing.');
}

async function openWith(files?: Contents) {
  const desktop = await openSignedIn(server());
  const folder = makeSite(files, 'shop');
  const grantOf = async (path = folder) => (await desktop.backend.give([path]))[0]!.grant;
  const input = { of: { grant: await grantOf() }, domain: siteName(), labels: [] };
  const watch = (more: object = {}) => desktop.ask('watch', { ...input, ...more });
  const folders = async () => (await desktop.ask('readState', undefined)).folders;
  const publishGranted = async (more: { pasted?: boolean } = {}) =>
    (await desktop.ask('publish', { grants: [await grantOf()], ...more })).publishings[0]!;
  return Object.assign(desktop, { folder, of: input.of, grant: grantOf, watch, folders, publishGranted });
}

test('the app asks before it watches a project, publishes nothing of it, and can watch the suggested folder (B1)', async () => {
  const desktop = await openWith(PROJECT);
  expect((await desktop.ask('checkFolder', { of: desktop.of })).question).toMatchObject({ about: 'project' });
  const { about, suggestions } = await questionOf(desktop.watch());
  expect({ about, suggestions }).toMatchObject({ about: 'project', suggestions: [{ name: 'dist' }] });
  expect(await desktop.folders()).toEqual([]);
  expect(await desktop.deployments()).toEqual([]);
  expect(await desktop.watch({ of: { grant: suggestions[0]!.grant } })).toMatchObject({ is: 'watched' });
  expect(await desktop.folders()).toMatchObject([{ path: join(desktop.folder, 'dist') }]);
});

test('an unusual folder is watched only with the confirmation of the question about this folder', async () => {
  const desktop = await openWith(PROJECT);
  const { anyway } = await questionOf(desktop.watch());
  const foreignSource = { grant: await desktop.grant(makeSite({ 'notes.txt': 'private' }, 'notes')) };
  expect((await questionOf(desktop.watch({ of: foreignSource, sure: anyway }))).about).toBe('no-front-page');
  for (const sure of ['0'.repeat(32), desktop.of.grant])
    expect((await questionOf(desktop.watch({ sure }))).about).toBe('project');
  expect(await desktop.watch({ sure: anyway })).toMatchObject({ is: 'watched' });
  expect(await desktop.folders()).toMatchObject([{ path: desktop.folder }]);
});

test('a confirmation cannot be used as a grant to publish or watch', async () => {
  const desktop = await openWith(PROJECT);
  const { anyway } = (await desktop.ask('checkFolder', { of: desktop.of })).question!;
  await expect(desktop.ask('publish', { grants: [anyway] })).rejects.toMatchObject({ kind: 'refused' });
  await expect(desktop.watch({ of: { grant: anyway } })).rejects.toMatchObject({ kind: 'refused' });
});

test('the app asks again before it watches a folder that the user published despite a question', async () => {
  const desktop = await openWith(PROJECT);
  const id = await desktop.dropSite(desktop.folder);
  await desktop.until(id, 'asking');
  await desktop.ask('answerPublishing', { id, instead: null });
  await desktop.published(id);
  const of = { publishing: id };
  const { anyway } = await questionOf(desktop.watch({ of }));
  expect(await desktop.watch({ of, sure: anyway })).toMatchObject({ is: 'watched' });
});

test('the app asks for confirmation before a moved watch points at the folder of a project', async () => {
  const desktop = await openWith();
  const id = watchedId(await desktop.watch());
  renameSync(desktop.folder, `${desktop.folder}-away`);
  const project = makeSite(PROJECT, 'project');
  const projectGrant = await desktop.grant(project);
  const { anyway, suggestions } = await questionOf(desktop.ask('locateFolder', { id, grant: projectGrant }));
  expect(suggestions).toMatchObject([{ name: 'dist' }]);
  expect(await desktop.folders()).toMatchObject([{ path: desktop.folder }]);
  expect(await desktop.ask('locateFolder', { id, grant: projectGrant, sure: anyway })).toEqual({ is: 'located' });
  expect(await desktop.folders()).toMatchObject([{ path: project }]);
});

test('pasted items are published only after the user confirms (B10)', async () => {
  const desktop = await openWith();
  const id = await desktop.publishGranted({ pasted: true });
  expect((await desktop.until(id, 'asking')).state.question).toEqual({ about: 'pasted', suggestions: [] });
  expect(await desktop.deployments()).toEqual([]);
  await desktop.ask('answerPublishing', { id, instead: null });
  await desktop.published(id);
});

test.each([
  ['dropped', false],
  ['pasted', true],
])(
  'the app asks about a dropped %s project, and publishes its build folder if the user chooses it (desktop §8.17)',
  async (_, pasted) => {
    const desktop = await openWith(PROJECT);
    const id = await desktop.publishGranted({ pasted });
    const { question } = (await desktop.until(id, 'asking')).state;
    expect(question).toMatchObject({ about: 'project', suggestions: [{ name: 'dist' }] });
    // A question that is still open does not block other publish jobs.
    await desktop.publish();
    await desktop.ask('answerPublishing', { id, instead: question.suggestions[0]!.grant });
    const { url, files } = await desktop.published(id);
    expect([files, (await server().visit(url)).text]).toEqual([1, 'the build']);
    expect(await desktop.find(id)).toMatchObject({ name: 'shop/dist' });
    await expect(desktop.ask('answerPublishing', { id, instead: null })).rejects.toThrow('no longer open');
  },
);

test('a password for the next drop locks only that drop (B2)', async () => {
  const desktop = await openWith();
  await desktop.ask('setNextDrop', PASSWORD);
  expect(await desktop.published(await desktop.publishGranted())).toMatchObject({ password: true });
  expect(desktop.emitted.filter(({ name }) => name === 'dropTaken')).toHaveLength(1);
  expect(await desktop.published(await desktop.publishGranted())).toMatchObject({ password: false });
});

test.each<[string, NextDropOptions]>([
  ['too short', { password: 'abc' }],
  ['too long', { password: 'x'.repeat(1_000) }],
])('a drop with a password that is %s publishes nothing and uses up no grants or options', async (_, options) => {
  const desktop = await openWith();
  const grants = [desktop.of.grant];
  await desktop.ask('setNextDrop', options);
  await expect(desktop.ask('publish', { grants })).rejects.toThrow('Nothing was published');
  expect(await desktop.publishings()).toEqual([]);
  await desktop.ask('setNextDrop', PASSWORD);
  const { publishings } = await desktop.ask('publish', { grants });
  expect(await desktop.published(publishings[0]!)).toMatchObject({ password: true });
});

test('a folder is watched without the password of the next drop only if the user decides so (B2)', async () => {
  const desktop = await openWith();
  await desktop.ask('setNextDrop', PASSWORD);
  await expect(desktop.watch()).rejects.toThrow('A password was set');
  expect(await desktop.watch(PASSWORD)).toMatchObject({ is: 'watched' });
  expect(await desktop.folders()).toMatchObject([{ password: true }]);
  expect(desktop.emitted.map(({ name }) => name)).toContain('dropTaken');
});

test('the folder of a site with a password is watched without a password only if the user decides so (B2)', async () => {
  const desktop = await openWith();
  const { id } = await desktop.publish(desktop.folder, PASSWORD);
  const of = { publishing: id };
  await expect(desktop.watch({ of })).rejects.toThrow('A password was set');
  expect(await desktop.watch({ of, password: null })).toMatchObject({ is: 'watched' });
});
