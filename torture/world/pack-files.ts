import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from './world.ts';

/** Lists the packs that are stored as files or objects. */
export async function listPacks({ nodes, store }: Pick<World, 'nodes' | 'store'>): Promise<Set<string>> {
  if (store) return store.packs();
  const folder = join(nodes[0]!.service.dataDir, 'packs');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name.replace(/\.pack$/, '')));
}

/** Lists the temporary files that have names. */
export async function listTemporaryFiles({ nodes }: Pick<World, 'nodes'>): Promise<string[]> {
  const folders = nodes.map(({ service }) => join(service.dataDir, 'spool'));
  const lists = folders.map(async (folder) => (await readdir(folder)).map((name) => join(folder, name)));
  return (await Promise.all(lists)).flat();
}
