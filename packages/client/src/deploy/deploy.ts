import { join } from 'node:path';
import type { CreatedDeployment } from '@berth/contract';
import { drain, yieldEvents } from '../progress.ts';
import { defaultCacheDir } from '../folder/cache-files.ts';
import { findLastDeployment, targetCacheName, saveLastDeployment } from '../folder/last-deployment.ts';
import { THIS_THREAD } from '../folder/disk.ts';
import type { DeployEvent } from './events.ts';
import type { DeployFilesInput, DeployFolderInput, DeployFolderOptions, DeployOptions } from './input.ts';
import { uploadDelta } from './delta.ts';
import { uploadMultipart } from './multipart.ts';
import { publish, checkPublication, type Upload } from './publish.ts';
import { unsavedResumeState } from './resume-state.ts';
import { fingerprintOf, hashPassword, SavedResumeState } from './saved-resume-state.ts';
import { folderSource, memorySource } from './source.ts';
import { streamContents, streamFolder } from './stream-contents.ts';

/**
 * Publishes a folder or a single HTML file, emits the events of the deploy, and returns the deployment.
 *
 * Sends only the contents that the server does not have, unless `delta` is false. A deploy that is killed or aborted publishes
 * nothing, and the next run with the same input resumes it. Temporary failures are retried, and reported as `retried`.
 *
 * To abort, stop iterating.
 *
 * @throws ClientError: `folder` if the folder cannot be published, or changes while it is published; `aborted` if the caller
 *   aborted; otherwise the error of the server.
 * Source: api §3, §9.
 */
export function deployFolder(
  input: DeployFolderInput,
  options: DeployFolderOptions = {},
): AsyncGenerator<DeployEvent, CreatedDeployment, undefined> {
  return yieldEvents(options.signal, async (emit, signal) => {
    checkPublication(input);
    const { cacheDir = defaultCacheDir(), disk = THIS_THREAD } = options;
    const { client, domain = null } = input;
    const snapshot =
      options.snapshot ??
      (await drain(disk.readFolder(input.folder, { cacheDir, ignore: input.ignore, signal }), emit));
    const target = { client, source: snapshot.source, domain };
    const name = targetCacheName(target);
    const password = await hashPassword(input.password, name);
    const fingerprint = fingerprintOf(snapshot.files, input, password);
    const resumeState = new SavedResumeState({ path: join(cacheDir, 'unfinished', `${name}.json`), fingerprint });
    const source = folderSource(snapshot);
    const context = {
      source,
      sendContents: streamFolder(client, source, snapshot, disk),
      publication: input,
      lastDeployment: findLastDeployment(cacheDir, target),
      resumeState,
      emit,
      signal,
    };
    return publish(context, options, uploadFor(options), ({ deployment }) =>
      saveLastDeployment(cacheDir, target, { deployment, password, files: snapshot.files }),
    );
  });
}

/**
 * Publishes files from memory. Emits the same events as {@link deployFolder}, except `walked` and `hashed`. An interrupted
 * deploy cannot be resumed.
 *
 * @throws ClientError of the same kinds as `deployFolder`.
 */
export function deployFiles(
  input: DeployFilesInput,
  options: DeployOptions = {},
): AsyncGenerator<DeployEvent, CreatedDeployment, undefined> {
  return yieldEvents(options.signal, (emit, signal) => {
    checkPublication(input);
    const source = memorySource(input.files);
    const resumeState = unsavedResumeState();
    const sendContents = streamContents(input.client, source);
    const context = { source, sendContents, publication: input, lastDeployment: null, resumeState, emit, signal };
    return publish(context, options, uploadFor(options), () => {});
  });
}

function uploadFor({ delta = true }: DeployOptions): Upload {
  return delta ? uploadDelta : (context, { changes }) => uploadMultipart(context, changes);
}
