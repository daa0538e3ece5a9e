import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** Creates the folder of everything that is built once in a run of the tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-builds-'));
  project.provide('builds', folder);
  return () => rm(folder, { recursive: true, force: true });
}
