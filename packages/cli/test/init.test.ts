import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createUser, inFolder, writeFiles } from './user.ts';

/** Runs `berth init` in a project with these files. */
async function initIn(files: Record<string, string>, words: string[] = [], answers?: string[]) {
  const { home, runInProcess, runOnTerminal } = createUser();
  const project = writeFiles(join(home, 'project'), { 'README.md': '', ...files });
  const outcome = await inFolder(project, () =>
    answers ? runOnTerminal(answers, 'init', ...words) : runInProcess('init', ...words),
  );
  const read = () => readFileSync(join(project, 'berth.json'), 'utf8');
  return { ...outcome, read };
}

const packageJson = (dependency: string, scripts: Record<string, string> = { build: 'x' }) =>
  JSON.stringify({ devDependencies: { vite: '8.0.0', [dependency]: '1.0.0' }, scripts });

const FRAMEWORKS: [
  framework: string,
  files: Record<string, string>,
  folder: string,
  build: string | null,
  advice?: string,
][] = [
  ['Vite', { 'package.json': packageJson('vite') }, 'dist', 'npm run build'],
  [
    'Vite',
    { 'package.json': packageJson('vite'), 'vite.config.ts': 'build: { outDir: "./www" }', 'pnpm-lock.yaml': '' },
    'www',
    'pnpm run build',
  ],
  [
    'Next.js',
    { 'package.json': packageJson('next'), 'next.config.mjs': 'export default { output: "export" }' },
    'out',
    'npm run build',
  ],
  [
    'Next.js',
    { 'package.json': packageJson('next', {}) },
    'out',
    'npx next build',
    'Next.js writes a static site only with output: "export"',
  ],
  ['Astro', { 'package.json': packageJson('astro'), 'yarn.lock': '' }, 'dist', 'yarn run build'],
  [
    'SvelteKit',
    { 'package.json': JSON.stringify({ devDependencies: { '@sveltejs/kit': '2', '@sveltejs/adapter-static': '3' } }) },
    'build',
    'npx vite build',
  ],
  [
    'SvelteKit',
    { 'package.json': packageJson('@sveltejs/kit') },
    'build',
    'npm run build',
    'SvelteKit writes a static site only with @sveltejs/adapter-static',
  ],
  [
    'Nuxt',
    { 'package.json': packageJson('nuxt', { build: 'nuxt build', generate: 'nuxt generate' }) },
    '.output/public',
    'npm run generate',
  ],
  [
    'VitePress',
    { 'package.json': packageJson('vitepress', { 'docs:build': 'x' }), 'docs/.vitepress/config.ts': '' },
    'docs/.vitepress/dist',
    'npm run docs:build',
  ],
  ['Docusaurus', { 'package.json': packageJson('@docusaurus/core') }, 'build', 'npm run build'],
  ['Eleventy', { 'package.json': packageJson('@11ty/eleventy', {}) }, '_site', 'npx @11ty/eleventy'],
  ['Gatsby', { 'package.json': packageJson('gatsby'), 'bun.lock': '' }, 'public', 'bun run build'],
  ['Create React App', { 'package.json': packageJson('react-scripts') }, 'build', 'npm run build'],
  [
    'Angular',
    { 'package.json': packageJson('@angular/core'), 'angular.json': '{"projects":{"shop":{}}}' },
    'dist/shop/browser',
    'npm run build',
  ],
  ['Hugo', { 'hugo.toml': '' }, 'public', 'hugo'],
  ['Jekyll', { '_config.yml': '', Gemfile: '' }, '_site', 'bundle exec jekyll build'],
  ['plain files', { 'index.html': 'hi' }, '.', null],
  ['plain files', { 'www/index.html': 'hi' }, 'www', null],
  ['plain files', {}, '.', null, 'There is no index.html yet.'],
  ['plain files', { 'package.json': '{"dependencies":' }, '.', null, 'There is no index.html yet.'],
];

describe('berth init', () => {
  it.each(FRAMEWORKS)('recognises %s by %j', async (framework, files, folder, build, advice = '') => {
    const { code, out, read, err } = await initIn(files);
    expect({ code, out }).toEqual({ code: 0, out: read() });
    expect(JSON.parse(out)).toEqual({ folder, ...(build !== null && { build }) });
    expect(err).toContain(`Wrote berth.json, for ${framework}. ${advice}`);
  });

  it.each([
    ['netlify.toml', '[build]\n  publish = "public/"\n  command = "make"', 'public', 'make'],
    ['netlify.toml', '[build]\nbase = "site"\npublish = "dist"\ncommand = "make"', 'site/dist', 'cd site && make'],
    ['vercel.json', '{"outputDirectory":"./out","buildCommand":"make"}', 'out', 'make'],
    ['wrangler.toml', 'pages_build_output_dir = "./out"', 'out', 'npm run build'],
    ['firebase.json', '{"hosting":{"public":"www"}}', 'www', 'npm run build'],
  ])('takes the folder and the build command from %s', async (file, content, folder, build) => {
    const { out } = await initIn({ 'package.json': packageJson('vite'), [file]: content }, ['--json']);
    expect(JSON.parse(out)).toEqual({
      file: expect.stringMatching(/berth\.json$/),
      framework: 'Vite',
      convertedFrom: file,
      folder,
      domain: null,
      build,
    });
  });

  it.each([
    ['netlify.toml', '[build'],
    ['vercel.json', '{'],
    ['vercel.json', '{"outputDirectory":7}'],
  ])('skips %s that contains %s', async (file, content) => {
    expect(JSON.parse((await initIn({ [file]: content }, ['--json'])).out)).toMatchObject({ convertedFrom: null });
  });

  it('writes the values of the options into berth.json', async () => {
    const { read } = await initIn({}, ['--folder', 'site', '--domain', 'blog', '--build', 'make site']);
    expect(JSON.parse(read())).toEqual({ folder: 'site', domain: 'blog', build: 'make site' });
  });

  it('refuses a folder outside of the project, and writes nothing', async () => {
    const { code, read } = await initIn({}, ['--folder', '../site']);
    expect(code).toBe(2);
    expect(read).toThrow('ENOENT');
  });

  it('replaces a file only after a question or with --yes', async () => {
    const old = { 'berth.json': '{"folder":"old"}' };
    const refused = await initIn(old);
    expect(refused).toMatchObject({ code: 4, err: expect.stringContaining('To replace it, add --yes') });
    expect(refused.read()).toBe('{"folder":"old"}');
    expect((await initIn(old, [], ['n'])).code).toBe(130);
    expect(JSON.parse((await initIn(old, ['--yes'])).read())).toEqual({ folder: '.' });
    expect(JSON.parse((await initIn(old, [], ['y'])).read())).toEqual({ folder: '.' });
  });
});
