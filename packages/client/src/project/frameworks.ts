import { join } from 'node:path';
import { inspectFolder } from '../folder/inspect-folder.ts';
import { exists, readJson, readText } from './read-file.ts';

/** How to build a project, and where the built site is. */
export interface BuildPlan {
  /** The name of the framework, for people. */
  framework: string;
  folder: string;
  build: string | null;
  /** What the user must change before the build gives a static site; `null` if nothing. */
  advice: string | null;
}

/** The parts of a `package.json` that decide. */
interface Manifest {
  dependencies: ReadonlySet<string>;
  scripts: Readonly<Record<string, unknown>>;
}

/** A framework that is recognised by a dependency in `package.json`. */
interface NodeFramework {
  name: string;
  dependency: string;
  /** The scripts of `package.json` that build the site. The first that exists is used. */
  scripts: readonly string[];
  /** The build command if `package.json` has none of the scripts. */
  command: string;
  folder: string | ((root: string) => Promise<string>);
  advise?: (root: string, manifest: Manifest) => Promise<string | null>;
}

/** In this order, because most frameworks also depend on Vite. */
const NODE_FRAMEWORKS: readonly NodeFramework[] = [
  {
    name: 'Next.js',
    dependency: 'next',
    scripts: ['build'],
    command: 'npx next build',
    folder: 'out',
    advise: adviseNext,
  },
  {
    name: 'Astro',
    dependency: 'astro',
    scripts: ['build'],
    command: 'npx astro build',
    folder: configured(['astro.config.mjs', 'astro.config.ts', 'astro.config.js'], 'dist'),
  },
  {
    name: 'SvelteKit',
    dependency: '@sveltejs/kit',
    scripts: ['build'],
    command: 'npx vite build',
    folder: 'build',
    advise: adviseSvelteKit,
  },
  { name: 'Nuxt', dependency: 'nuxt', scripts: ['generate'], command: 'npx nuxt generate', folder: '.output/public' },
  {
    name: 'VitePress',
    dependency: 'vitepress',
    scripts: ['docs:build', 'build'],
    command: 'npx vitepress build',
    folder: findVitePressFolder,
  },
  {
    name: 'Docusaurus',
    dependency: '@docusaurus/core',
    scripts: ['build'],
    command: 'npx docusaurus build',
    folder: 'build',
  },
  {
    name: 'Eleventy',
    dependency: '@11ty/eleventy',
    scripts: ['build'],
    command: 'npx @11ty/eleventy',
    folder: '_site',
  },
  { name: 'Gatsby', dependency: 'gatsby', scripts: ['build'], command: 'npx gatsby build', folder: 'public' },
  {
    name: 'Create React App',
    dependency: 'react-scripts',
    scripts: ['build'],
    command: 'npx react-scripts build',
    folder: 'build',
  },
  {
    name: 'Angular',
    dependency: '@angular/core',
    scripts: ['build'],
    command: 'npx ng build',
    folder: findAngularFolder,
  },
  {
    name: 'Vite',
    dependency: 'vite',
    scripts: ['build'],
    command: 'npx vite build',
    folder: configured(['vite.config.ts', 'vite.config.js', 'vite.config.mts', 'vite.config.mjs'], 'dist'),
  },
];

const LOCK_FILES = [
  ['pnpm-lock.yaml', 'pnpm run'],
  ['yarn.lock', 'yarn run'],
  ['bun.lock', 'bun run'],
  ['bun.lockb', 'bun run'],
] as const;

/** Finds out how a project is built. Reads only files at its root and known configuration files. */
export async function detectBuild(root: string): Promise<BuildPlan> {
  return (await detectNode(root)) ?? (await detectHugo(root)) ?? (await detectJekyll(root)) ?? detectPlain(root);
}

async function detectNode(root: string): Promise<BuildPlan | null> {
  const json = await readJson(join(root, 'package.json'));
  if (json === null) return null;
  const manifest: Manifest = {
    dependencies: new Set([
      ...Object.keys(Object(json['dependencies'])),
      ...Object.keys(Object(json['devDependencies'])),
    ]),
    scripts: Object(json['scripts']),
  };
  const framework = NODE_FRAMEWORKS.find(({ dependency }) => manifest.dependencies.has(dependency));
  if (!framework) return null;
  const { name, folder, advise } = framework;
  return {
    framework: name,
    folder: typeof folder === 'string' ? folder : await folder(root),
    build: await buildCommand(root, framework, manifest),
    advice: (await advise?.(root, manifest)) ?? null,
  };
}

async function buildCommand(root: string, { scripts, command }: NodeFramework, manifest: Manifest): Promise<string> {
  const script = scripts.find((name) => typeof manifest.scripts[name] === 'string');
  if (script === undefined) return command;
  for (const [lockFile, runner] of LOCK_FILES) if (await exists(join(root, lockFile))) return `${runner} ${script}`;
  return `npm run ${script}`;
}

/** Returns a function that finds the `outDir` of a configuration file, without running the file. */
function configured(files: readonly string[], fallback: string): (root: string) => Promise<string> {
  return async (root) => {
    for (const file of files) {
      const [, folder] = /\boutDir: {0,9}['"]([^'"\n]{1,200})['"]/.exec(await readText(join(root, file))) ?? [];
      if (folder !== undefined) return folder.replace(/^\.\//, '');
    }
    return fallback;
  };
}

async function adviseNext(root: string): Promise<string | null> {
  for (const file of ['next.config.js', 'next.config.mjs', 'next.config.ts', 'next.config.cjs'])
    if (/\boutput: {0,9}['"]export['"]/.test(await readText(join(root, file)))) return null;
  return 'Next.js writes a static site only with output: "export" in next.config.';
}

async function adviseSvelteKit(_: string, { dependencies }: Manifest): Promise<string | null> {
  return dependencies.has('@sveltejs/adapter-static')
    ? null
    : 'SvelteKit writes a static site only with @sveltejs/adapter-static.';
}

async function findVitePressFolder(root: string): Promise<string> {
  for (const folder of ['docs', 'doc', 'website', 'src'])
    if (await exists(join(root, folder, '.vitepress'))) return `${folder}/.vitepress/dist`;
  return '.vitepress/dist';
}

async function findAngularFolder(root: string): Promise<string> {
  const { defaultProject, projects } = Object(await readJson(join(root, 'angular.json')));
  const name = typeof defaultProject === 'string' ? defaultProject : Object.keys(Object(projects))[0];
  const output: unknown = Object(Object(projects)[name ?? ''])?.architect?.build?.options?.outputPath;
  if (typeof output === 'string') return `${output.replace(/\/$/, '')}/browser`;
  return name === undefined ? 'dist/browser' : `dist/${name}/browser`;
}

async function detectHugo(root: string): Promise<BuildPlan | null> {
  const files = ['hugo.toml', 'hugo.yaml', 'hugo.yml', 'hugo.json', 'config/_default'];
  const found = await Promise.all(files.map((file) => exists(join(root, file))));
  const isOldHugo = (await exists(join(root, 'config.toml'))) && (await exists(join(root, 'archetypes')));
  return found.includes(true) || isOldHugo
    ? { framework: 'Hugo', folder: 'public', build: 'hugo', advice: null }
    : null;
}

async function detectJekyll(root: string): Promise<BuildPlan | null> {
  if (!(await exists(join(root, '_config.yml'))) && !(await exists(join(root, '_config.yaml')))) return null;
  const build = (await exists(join(root, 'Gemfile'))) ? 'bundle exec jekyll build' : 'jekyll build';
  return { framework: 'Jekyll', folder: '_site', build, advice: null };
}

async function detectPlain(root: string): Promise<BuildPlan> {
  const suggestion = (await inspectFolder(root))?.suggestions[0];
  const hasPage = (await exists(join(root, 'index.html'))) || suggestion !== undefined;
  return {
    framework: 'plain files',
    folder: suggestion ?? '.',
    build: null,
    advice: hasPage ? null : 'There is no index.html yet. Change "folder" to the folder of the built site.',
  };
}
