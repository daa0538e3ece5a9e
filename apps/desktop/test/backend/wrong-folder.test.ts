import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { expect, test } from 'vitest';
import type { CommandOutput } from '../../src/shared/contract.ts';
import type { FolderQuestion } from '../../src/shared/publishing.ts';
import { makeSite } from './desktop.ts';
import { openSignedIn, PAGE } from './publishing-world.ts';

const server = useServer();

const PROJECT = { 'package.json': '{}', 'dist/index.html': 'the build' };

const nameOf = () => `site-${crypto.randomUUID().slice(0, 8)}.localhost`;

function questionOf(answer: CommandOutput<'watch' | 'locateFolder'>): FolderQuestion {
  if (answer.is === 'asking') return answer.question;
  throw new Error('The app asked nothing.');
}

async function openWith(files: Record<string, string>) {
  const desktop = await openSignedIn(server());
  const folder = makeSite(files, 'shop');
  const grant = async (path = folder) => (await desktop.backend.give([path]))[0]!.grant;
  const folders = async () => (await desktop.ask('readState', undefined)).folders;
  return Object.assign(desktop, { folder, grant, folders });
}

test('asks before watching a project, and publishes nothing of it (B1)', async () => {
  const desktop = await openWith(PROJECT);
  const of = { grant: await desktop.grant() };
  expect((await desktop.ask('checkFolder', { of })).question).toMatchObject({ about: 'project' });
  const answer = await desktop.ask('watch', { of, domain: nameOf(), labels: [] });
  expect(questionOf(answer)).toMatchObject({ about: 'project', suggestions: [{ name: 'dist' }] });
  expect(await desktop.folders()).toEqual([]);
  expect(await desktop.deployments()).toEqual([]);
});

test('watches the suggested folder without another question', async () => {
  const desktop = await openWith(PROJECT);
  const watchInput = { of: { grant: await desktop.grant() }, domain: nameOf(), labels: [] };
  const [dist] = questionOf(await desktop.ask('watch', watchInput)).suggestions;
  const answer = await desktop.ask('watch', { ...watchInput, of: { grant: dist!.grant } });
  expect(answer).toMatchObject({ is: 'watched' });
  expect(await desktop.folders()).toMatchObject([{ path: join(desktop.folder, 'dist') }]);
});

test('watches a folder as it is only with the confirmation of its own question', async () => {
  const desktop = await openWith(PROJECT);
  const other = makeSite({ 'notes.txt': 'private' }, 'notes');
  const watchInput = { of: { grant: await desktop.grant() }, domain: nameOf(), labels: [] };
  const { anyway } = questionOf(await desktop.ask('watch', watchInput));
  const foreign = { ...watchInput, of: { grant: await desktop.grant(other) }, sure: anyway };
  expect(questionOf(await desktop.ask('watch', foreign)).about).toBe('no-front-page');
  for (const sure of ['0'.repeat(32), watchInput.of.grant])
    expect(questionOf(await desktop.ask('watch', { ...watchInput, sure })).about).toBe('project');
  expect(await desktop.ask('watch', { ...watchInput, sure: anyway })).toMatchObject({ is: 'watched' });
  expect(await desktop.folders()).toMatchObject([{ path: desktop.folder }]);
});

test('a confirmation cannot be used as a grant to publish or watch', async () => {
  const desktop = await openWith(PROJECT);
  const of = { grant: await desktop.grant() };
  const { question } = await desktop.ask('checkFolder', { of });
  await expect(desktop.ask('publish', { grants: [question!.anyway] })).rejects.toMatchObject({ kind: 'refused' });
  await expect(
    desktop.ask('watch', { of: { grant: question!.anyway }, domain: nameOf(), labels: [] }),
  ).rejects.toMatchObject({ kind: 'refused' });
});

test('asks again before watching a folder that was published anyway', async () => {
  const desktop = await openWith(PROJECT);
  const [id] = await desktop.drop([desktop.folder]);
  await desktop.until(id!, 'asking');
  await desktop.ask('answerPublishing', { id: id!, instead: null });
  await desktop.published(id!);
  const watchInput = { of: { publishing: id! }, domain: nameOf(), labels: [] };
  const { anyway } = questionOf(await desktop.ask('watch', watchInput));
  expect(await desktop.ask('watch', { ...watchInput, sure: anyway })).toMatchObject({ is: 'watched' });
});

test('asks before locating a watched folder in a project', async () => {
  const desktop = await openWith({ 'index.html': PAGE });
  const answer = await desktop.ask('watch', { of: { grant: await desktop.grant() }, domain: nameOf(), labels: [] });
  if (answer.is !== 'watched') throw new Error('The app asked.');
  const { id } = answer;
  renameSync(desktop.folder, `${desktop.folder}-away`);
  const project = makeSite(PROJECT, 'project');
  const grant = await desktop.grant(project);
  const { anyway, suggestions } = questionOf(await desktop.ask('locateFolder', { id, grant }));
  expect(suggestions).toMatchObject([{ name: 'dist' }]);
  expect(await desktop.folders()).toMatchObject([{ path: desktop.folder }]);
  expect(await desktop.ask('locateFolder', { id, grant, sure: anyway })).toEqual({ is: 'located' });
  expect(await desktop.folders()).toMatchObject([{ path: project }]);
});

test('publishes pasted items only after the user confirms (B10)', async () => {
  const desktop = await openWith({ 'index.html': PAGE });
  const file = await desktop.grant(join(desktop.folder, 'index.html'));
  const { publishings } = await desktop.ask('publish', { grants: [file], pasted: true });
  const { state } = await desktop.until(publishings[0]!, 'asking');
  expect(state.question).toEqual({ about: 'pasted', suggestions: [] });
  expect(await desktop.deployments()).toEqual([]);
  await desktop.ask('answerPublishing', { id: publishings[0]!, instead: null });
  await desktop.published(publishings[0]!);
});

test('asks about a pasted folder that is probably wrong, instead of about the paste, and publishes the suggested one', async () => {
  const desktop = await openWith(PROJECT);
  const { publishings } = await desktop.ask('publish', { grants: [await desktop.grant()], pasted: true });
  const { question } = (await desktop.until(publishings[0]!, 'asking')).state;
  expect(question).toMatchObject({ about: 'project', suggestions: [{ name: 'dist' }] });
  await desktop.ask('answerPublishing', { id: publishings[0]!, instead: question.suggestions[0]!.grant });
  const { url } = await desktop.published(publishings[0]!);
  expect((await server().visit(url)).text).toBe('the build');
});

test('a password for the next drop locks only that drop (B2)', async () => {
  const desktop = await openWith({ 'index.html': PAGE });
  await desktop.ask('setNextDrop', { password: 'open-sesame' });
  const { publishings } = await desktop.ask('publish', { grants: [await desktop.grant()] });
  expect(await desktop.published(publishings[0]!)).toMatchObject({ password: true });
  expect(desktop.emitted.filter(({ name }) => name === 'dropTaken')).toHaveLength(1);
  const next = await desktop.ask('publish', { grants: [await desktop.grant()] });
  expect(await desktop.published(next.publishings[0]!)).toMatchObject({ password: false });
});

test.each([
  ['too short', { password: 'abc' }],
  ['too long', { password: 'x'.repeat(1_000) }],
])('a password that is %s publishes nothing and uses up no grants or options', async (_, options) => {
  const desktop = await openWith({ 'index.html': PAGE });
  const grant = await desktop.grant();
  await desktop.ask('setNextDrop', options);
  await expect(desktop.ask('publish', { grants: [grant] })).rejects.toThrow('Nothing was published');
  expect((await desktop.ask('readState', undefined)).publishings).toEqual([]);
  await desktop.ask('setNextDrop', { password: 'open-sesame' });
  const { publishings } = await desktop.ask('publish', { grants: [grant] });
  expect(await desktop.published(publishings[0]!)).toMatchObject({ password: true });
});

test('watches a folder without the password of the next drop only if the user says so (B2)', async () => {
  const desktop = await openWith({ 'index.html': PAGE });
  await desktop.ask('setNextDrop', { password: 'open-sesame' });
  const watchInput = { of: { grant: await desktop.grant() }, domain: nameOf(), labels: [] };
  await expect(desktop.ask('watch', watchInput)).rejects.toThrow('A password was set');
  expect(await desktop.ask('watch', { ...watchInput, password: 'open-sesame' })).toMatchObject({ is: 'watched' });
  expect(await desktop.folders()).toMatchObject([{ password: true }]);
  expect(desktop.emitted.map(({ name }) => name)).toContain('dropTaken');
});

test('watches the folder of a site with a password without one only if the user says so (B2)', async () => {
  const desktop = await openWith({ 'index.html': PAGE });
  const [id] = await desktop.drop([desktop.folder], { password: 'open-sesame' });
  await desktop.published(id!);
  const watchInput = { of: { publishing: id! }, domain: nameOf(), labels: [] };
  await expect(desktop.ask('watch', watchInput)).rejects.toThrow('A password was set');
  expect(await desktop.ask('watch', { ...watchInput, password: null })).toMatchObject({ is: 'watched' });
});
