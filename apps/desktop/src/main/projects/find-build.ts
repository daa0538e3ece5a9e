import { join, normalize, sep } from 'node:path';
import { detectBuild, exists, readJson } from '@berth/client/project';
import type { Build } from '../../shared/publishing.ts';

/** The lock files of package managers, and the command that installs the dependencies of a project. */
const INSTALLS = [
  ['pnpm-lock.yaml', 'pnpm install'],
  ['yarn.lock', 'yarn install'],
  ['bun.lock', 'bun install'],
  ['bun.lockb', 'bun install'],
] as const;

/**
 * Finds out how to build a project. The command also installs the dependencies if they are missing.
 *
 * @returns `null` if the folder needs no build, or if the built site is not inside the folder.
 */
export async function findBuild(root: string): Promise<Build | null> {
  const plan = await detectBuild(root);
  if (plan.build === null) return null;
  const folder = normalize(plan.folder);
  if (folder === '.' || folder.startsWith('..') || folder.startsWith(sep)) return null;
  const install = await installCommand(root);
  const command = install === null ? plan.build : `${install} && ${plan.build}`;
  return { framework: plan.framework, folder, command, advice: plan.advice };
}

async function installCommand(root: string): Promise<string | null> {
  if ((await readJson(join(root, 'package.json'))) === null || (await exists(join(root, 'node_modules')))) return null;
  for (const [lockFile, command] of INSTALLS) if (await exists(join(root, lockFile))) return command;
  return 'npm install';
}
