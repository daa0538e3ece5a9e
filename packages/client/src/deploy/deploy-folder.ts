import { join } from 'node:path';
import type { CreatedDeployment } from '@berth/contract';
import { withEvents } from '../progress.ts';
import { defaultCacheDir } from '../folder/cache-files.ts';
import { findPublished, nameOfTarget, savePublished } from '../folder/published.ts';
import { readFolderTelling } from '../folder/read-folder.ts';
import type { DeployEvent } from './events.ts';
import type { DeployFolderInput, DeployFolderOptions } from './input.ts';
import { markOf } from './password-mark.ts';
import { publish, refuseImpossible } from './publish.ts';
import { folderSource } from './source.ts';
import { fingerprintOf, openUnfinished } from './unfinished.ts';

/**
 * Publishes a folder, tells what happens meanwhile, and returns the deployment.
 *
 * Only what the server lacks is sent; to a server that cannot tell what it lacks, everything. A run that is killed, or given
 * up, leaves nothing half published: the next one goes on where it broke off, when it asks for the same. What fails for the
 * moment is tried again and told as `retried`.
 *
 * To stop iterating is to give up.
 *
 * @throws ClientError: `folder` when the folder cannot be published as it is, or changes meanwhile; `aborted` when the caller
 *   gave up; else what the server answered.
 * Source: contract §3, §9.
 */
export function deployFolder(
  input: DeployFolderInput,
  options: DeployFolderOptions = {},
): AsyncGenerator<DeployEvent, CreatedDeployment, undefined> {
  return withEvents(options.signal, async (tell, signal) => {
    refuseImpossible(input);
    const { cacheDir = defaultCacheDir() } = options;
    const { client, domain = null } = input;
    const snapshot = options.snapshot ?? (await readFolderTelling(input.folder, cacheDir, tell, signal));
    const target = { client, root: snapshot.root, domain };
    const name = nameOfTarget(target);
    const password = await markOf(input.password, name);
    const fingerprint = fingerprintOf(snapshot.files, input, password);
    const unfinished = openUnfinished(join(cacheDir, 'unfinished', `${name}.json`), fingerprint);
    const work = {
      source: folderSource(snapshot),
      asked: input,
      published: findPublished(cacheDir, target),
      unfinished,
      tell,
      signal,
    };
    return publish(work, options, ({ deployment }) =>
      savePublished(cacheDir, target, { deployment, password, files: snapshot.files }),
    );
  });
}
