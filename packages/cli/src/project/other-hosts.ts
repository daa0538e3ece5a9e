import { join, posix } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { readJson, readText } from '@berth/client/project';

/** The build settings in the configuration file of another host; `null` for what the file does not set. */
export interface HostSettings {
  file: string;
  folder: string | null;
  build: string | null;
}

type Fields = Record<string, unknown>;

/** How to read the configuration files of other hosts. */
const HOSTS: readonly (readonly [file: string, settingsOf: (config: Fields) => Omit<HostSettings, 'file'>])[] = [
  ['netlify.toml', netlifySettings],
  [
    'vercel.json',
    ({ outputDirectory, buildCommand }) => ({ folder: textOf(outputDirectory), build: textOf(buildCommand) }),
  ],
  ['wrangler.toml', wranglerSettings],
  ['wrangler.json', wranglerSettings],
  ['firebase.json', ({ hosting }) => ({ folder: textOf(Object(hosting).public), build: null })],
];

/** Finds the build settings for another host in a project. Files that cannot be parsed are skipped. */
export async function findHostSettings(root: string): Promise<HostSettings | null> {
  for (const [file, settingsOf] of HOSTS) {
    const config = file.endsWith('.toml') ? await readToml(join(root, file)) : await readJson(join(root, file));
    if (config === null) continue;
    const settings = settingsOf(config);
    if (settings.folder !== null || settings.build !== null) return { file, ...settings };
  }
  return null;
}

function netlifySettings(config: Fields): Omit<HostSettings, 'file'> {
  const { base, publish, command } = Object(config['build']) as Fields;
  const folder = textOf(publish);
  const build = textOf(command);
  const from = textOf(base);
  if (from === null || from === '.') return { folder, build };
  return { folder: posix.join(from, folder ?? '.'), build: build && `cd ${from} && ${build}` };
}

function wranglerSettings(config: Fields): Omit<HostSettings, 'file'> {
  const folder = textOf(config['pages_build_output_dir']) ?? textOf(Object(config['assets']).directory);
  return { folder, build: textOf(Object(config['build']).command) };
}

/** Returns a text without `./` at its start; `null` for anything else and an empty text. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.replace(/^\.\/(?=.)/, '').replace(/(?<=.)\/$/, '') : null;
}

async function readToml(path: string): Promise<Fields | null> {
  const text = await readText(path);
  if (text === '') return null;
  try {
    return parseToml(text);
  } catch {
    return null;
  }
}
