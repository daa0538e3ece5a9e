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
 * Publishes a folder, emits events on the way, and returns the deployment.
 *
 * Sends only the contents that the server does not have, or everything if the server does not support delta uploads. A run that
 * is killed or aborted leaves nothing half published. The next run resumes it, if its input is the same. Temporary failures are
 * retried, and reported as `retried`.
 *
 * To abort, stop iterating.
 *
 * @throws ClientError: `folder` if the folder cannot be published as it is, or changes meanwhile; `aborted` if the caller
 *   aborted; otherwise the error of the server.
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
