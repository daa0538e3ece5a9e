import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import type { Contents } from '../harness/app/folders.ts';
import { makeSite, openProxied, openSignedIn } from './desktop.ts';
import { SCAFFOLDS } from './scaffolds.ts';

const server = useServer();
const ROOT = join(import.meta.dirname, '../../../..');

/** Creates a project whose dependencies are installed. */
function makeProject(contents: Contents, name = 'project'): string {
  const root = makeSite(contents, name);
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  return root;
}

/** Creates a project of Eleventy whose build script is a line of the shell. */
function makeScripted(script: string): string {
  const manifest = { ...JSON.parse(SCAFFOLDS.eleventy['package.json']), scripts: { build: script } };
  return makeProject({ 'package.json': JSON.stringify(manifest) });
}

const BUILD_PAGE = `mkdir -p _site && echo built-$(cat text) > _site/index.html`;

describe('a project that is dropped (desktop §8.17)', () => {
  it.each([
    ['vite', 'Vite', 'dist', 'npm run build'],
    ['astro', 'Astro', 'dist', 'npm run build'],
    ['eleventy', 'Eleventy', '_site', 'npx @11ty/eleventy'],
    ['next', 'Next.js', 'out', 'npm run build'],
  ] as const)('of %s is recognised, and its build is proposed', async (scaffold, framework, folder, command) => {
    const desktop = await openProxied(server());
    const id = await desktop.dropSite(makeProject(SCAFFOLDS[scaffold]));
    const { state } = await desktop.until(id, 'asking');
    expect(state.question).toEqual({
      about: 'project',
      suggestions: [],
      build: { framework, folder, command, advice: null },
    });
  });

  it('without its dependencies gets them installed by the proposed command', async () => {
    const desktop = await openProxied(server());
    const commandOf = async (contents: Contents) =>
      (await desktop.until(await desktop.dropSite(makeSite(contents)), 'asking')).state.question.build?.command;
    expect(await commandOf(SCAFFOLDS.vite)).toBe('npm install && npm run build');
    expect(await commandOf({ ...SCAFFOLDS.vite, 'pnpm-lock.yaml': '' })).toBe('pnpm install && pnpm run build');
  });

  it('of plain HTML is published as it is', async () => {
    const desktop = await openProxied(server());
    const { url } = await desktop.publish(makeSite({ 'index.html': 'plain', 'style.css': '' }));
    expect((await server().visit(url)).text).toBe('plain');
  });

  it('whose configuration names a folder outside of it is not built', async () => {
    const desktop = await openProxied(server());
    const id = await desktop.dropSite(
      makeProject({ ...SCAFFOLDS.vite, 'vite.config.js': "export default { build: { outDir: '../other' } }" }),
    );
    expect((await desktop.until(id, 'asking')).state.question.build).toBeUndefined();
  });
});

describe('a build', () => {
  it('of a real Vite project is run, shown, and its result published', async () => {
    const desktop = await openProxied(server());
    const project = makeProject(SCAFFOLDS.vite);
    symlinkSync(join(ROOT, 'apps/desktop/node_modules/vite'), join(project, 'node_modules/vite'));
    writeFileSync(
      join(project, 'package.json'),
      SCAFFOLDS.vite['package.json'].replace('"vite build"', '"node node_modules/vite/bin/vite.js build"'),
    );
    const id = await desktop.dropSite(project);
    await desktop.until(id, 'asking');
    await desktop.ask('buildPublishing', { id });
    const { url } = await desktop.published(id);
    expect((await server().visit(url)).text).toMatch(/src="\/assets\/index-.*\.js"/);
    const { build } = await desktop.find(id);
    expect(build).toMatchObject({ command: 'npm run build', isRunning: false });
    expect(build!.text).toContain('built in');
    expect(desktop.lists().some(([first]) => first?.state.is === 'building')).toBe(true);
  }, 60_000);

  it('is asked about once: the next drop of the project builds and publishes it', async () => {
    const desktop = await openSignedIn(server());
    const project = makeScripted(BUILD_PAGE);
    writeFileSync(join(project, 'text'), 'one');
    const first = await desktop.dropSite(project);
    await desktop.until(first, 'asking');
    expect(existsSync(join(project, '_site'))).toBe(false);
    await desktop.ask('buildPublishing', { id: first });
    expect((await server().visit((await desktop.published(first)).url)).text).toBe('built-one\n');
    writeFileSync(join(project, 'text'), 'two');
    const restarted = await desktop.restart();
    const second = await restarted.publish(project);
    expect((await server().visit(second.url)).text).toBe('built-two\n');
    writeFileSync(
      join(project, 'package.json'),
      readFileSync(join(project, 'package.json'), 'utf8').replace('"build"', '"start"'),
    );
    // The project has another command now, so the user is asked again.
    const third = await restarted.dropSite(project);
    expect((await restarted.until(third, 'asking')).state.question.build?.command).toBe('npx @11ty/eleventy');
  }, 60_000);

  it('that fails publishes nothing and shows its output, and runs again on a retry', async () => {
    const desktop = await openProxied(server());
    const project = makeScripted(`test -f text || { echo Missing text; exit 3; }; ${BUILD_PAGE}`);
    const id = await desktop.dropSite(project);
    await desktop.until(id, 'asking');
    await desktop.ask('buildPublishing', { id });
    const { state, build } = await desktop.until(id, 'failed');
    expect(state.problem.message).toContain('The build failed: npm run build ended with exit code 3.');
    expect(build!.text).toContain('Missing text');
    writeFileSync(join(project, 'text'), 'one');
    await desktop.ask('retryPublishing', { id });
    expect((await server().visit((await desktop.published(id)).url)).text).toBe('built-one\n');
  }, 60_000);

  it('can be cancelled, which ends everything that it has started', async () => {
    const desktop = await openProxied(server());
    const project = makeScripted('node -e "console.log(process.pid); setInterval(() => {}, 1000)"');
    const id = await desktop.dropSite(project);
    await desktop.until(id, 'asking');
    await desktop.ask('buildPublishing', { id });
    const pidOf = async () => Number(/^(\d+)$/m.exec((await desktop.find(id)).build?.text ?? '')?.[1] ?? 0);
    await expect.poll(pidOf, { timeout: 20_000 }).toBeGreaterThan(0);
    const pid = await pidOf();
    await desktop.ask('cancelPublishing', { id });
    await desktop.until(id, 'cancelled');
    const isRunning = () => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(isRunning).toBe(false);
  }, 60_000);
});
