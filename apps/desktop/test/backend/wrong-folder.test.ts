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

const PROJECT = { 'package.json': '{}', 'dist/index.html': 'the build' };
const PASSWORD = { password: 'open-sesame' };

async function questionOf(asked: Promise<CommandOutput<'watch' | 'locateFolder'>>): Promise<FolderQuestion> {
  const answer = await asked;
  if (answer.is === 'asking') return answer.question;
  throw new Error('The app asked nothing.');
}

async function openWith(files?: Contents) {
  const desktop = await openSignedIn(server());
  const folder = makeSite(files, 'shop');
  const grant = async (path = folder) => (await desktop.backend.give([path]))[0]!.grant;
  const input = { of: { grant: await grant() }, domain: siteName(), labels: [] };
  const watch = (more: object = {}) => desktop.ask('watch', { ...input, ...more });
  const folders = async () => (await desktop.ask('readState', undefined)).folders;
  const publishGranted = async (more: { pasted?: boolean } = {}) =>
    (await desktop.ask('publish', { grants: [await grant()], ...more })).publishings[0]!;
  return Object.assign(desktop, { folder, of: input.of, grant, watch, folders, publishGranted });
}

test('asks before watching a project, publishes nothing of it, and watches the suggested folder (B1)', async () => {
  const desktop = await openWith(PROJECT);
  expect((await desktop.ask('checkFolder', { of: desktop.of })).question).toMatchObject({ about: 'project' });
  const { about, suggestions } = await questionOf(desktop.watch());
  expect({ about, suggestions }).toMatchObject({ about: 'project', suggestions: [{ name: 'dist' }] });
  expect(await desktop.folders()).toEqual([]);
  expect(await desktop.deployments()).toEqual([]);
  expect(await desktop.watch({ of: { grant: suggestions[0]!.grant } })).toMatchObject({ is: 'watched' });
  expect(await desktop.folders()).toMatchObject([{ path: join(desktop.folder, 'dist') }]);
});

test('watches a folder as it is only with the confirmation of its own question', async () => {
  const desktop = await openWith(PROJECT);
  const { anyway } = await questionOf(desktop.watch());
  const foreign = { grant: await desktop.grant(makeSite({ 'notes.txt': 'private' }, 'notes')) };
  expect((await questionOf(desktop.watch({ of: foreign, sure: anyway }))).about).toBe('no-front-page');
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

test('asks again before watching a folder that was published anyway', async () => {
  const desktop = await openWith(PROJECT);
  const id = await desktop.dropSite(desktop.folder);
  await desktop.until(id, 'asking');
  await desktop.ask('answerPublishing', { id, instead: null });
  await desktop.published(id);
  const of = { publishing: id };
  const { anyway } = await questionOf(desktop.watch({ of }));
  expect(await desktop.watch({ of, sure: anyway })).toMatchObject({ is: 'watched' });
});

test('asks before locating a watched folder in a project', async () => {
  const desktop = await openWith();
  const id = watchedId(await desktop.watch());
  renameSync(desktop.folder, `${desktop.folder}-away`);
  const project = makeSite(PROJECT, 'project');
  const grant = await desktop.grant(project);
  const { anyway, suggestions } = await questionOf(desktop.ask('locateFolder', { id, grant }));
  expect(suggestions).toMatchObject([{ name: 'dist' }]);
  expect(await desktop.folders()).toMatchObject([{ path: desktop.folder }]);
  expect(await desktop.ask('locateFolder', { id, grant, sure: anyway })).toEqual({ is: 'located' });
  expect(await desktop.folders()).toMatchObject([{ path: project }]);
});

test('publishes pasted items only after the user confirms (B10)', async () => {
  const desktop = await openWith();
  const id = await desktop.publishGranted({ pasted: true });
  expect((await desktop.until(id, 'asking')).state.question).toEqual({ about: 'pasted', suggestions: [] });
  expect(await desktop.deployments()).toEqual([]);
  await desktop.ask('answerPublishing', { id, instead: null });
  await desktop.published(id);
});

test('asks about a pasted folder that is probably wrong, instead of about the paste, and publishes the suggested one', async () => {
  const desktop = await openWith(PROJECT);
  const id = await desktop.publishGranted({ pasted: true });
  const { question } = (await desktop.until(id, 'asking')).state;
  expect(question).toMatchObject({ about: 'project', suggestions: [{ name: 'dist' }] });
  await desktop.ask('answerPublishing', { id, instead: question.suggestions[0]!.grant });
  expect((await server().visit((await desktop.published(id)).url)).text).toBe('the build');
});

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
])('a password that is %s publishes nothing and uses up no grants or options', async (_, options) => {
  const desktop = await openWith();
  const grants = [desktop.of.grant];
  await desktop.ask('setNextDrop', options);
  await expect(desktop.ask('publish', { grants })).rejects.toThrow('Nothing was published');
  expect(await desktop.publishings()).toEqual([]);
  await desktop.ask('setNextDrop', PASSWORD);
  const { publishings } = await desktop.ask('publish', { grants });
  expect(await desktop.published(publishings[0]!)).toMatchObject({ password: true });
});

test('watches a folder without the password of the next drop only if the user says so (B2)', async () => {
  const desktop = await openWith();
  await desktop.ask('setNextDrop', PASSWORD);
  await expect(desktop.watch()).rejects.toThrow('A password was set');
  expect(await desktop.watch(PASSWORD)).toMatchObject({ is: 'watched' });
  expect(await desktop.folders()).toMatchObject([{ password: true }]);
  expect(desktop.emitted.map(({ name }) => name)).toContain('dropTaken');
});

test('watches the folder of a site with a password without one only if the user says so (B2)', async () => {
  const desktop = await openWith();
  const { id } = await desktop.publish(desktop.folder, PASSWORD);
  const of = { publishing: id };
  await expect(desktop.watch({ of })).rejects.toThrow('A password was set');
  expect(await desktop.watch({ of, password: null })).toMatchObject({ is: 'watched' });
});
