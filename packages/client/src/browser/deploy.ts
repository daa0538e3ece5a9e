import type { CreatedDeployment } from '@berth/contract';
import { uploadDelta } from '../deploy/delta.ts';
import type { DeployEvent } from '../deploy/events.ts';
import type { DeployOptions, Publication } from '../deploy/input.ts';
import { checkPublication, publish } from '../deploy/publish.ts';
import { type ResumeState, unsavedResumeState } from '../deploy/resume-state.ts';
import type { ContentsSender } from '../deploy/send-contents.ts';
import { bodiesOf } from './bodies.ts';
import { yieldEvents } from '../progress.ts';
import { amountOf, type HashedFile, hashFiles } from './hash-files.ts';
import {
  type DirectoryHandle,
  type FileInput,
  type FileList,
  listDirectory,
  listFiles,
  piecesOf,
} from './list-files.ts';

export type { DeployEvent };

/** The input of {@link deployFiles}. */
export interface DeployFilesInput extends Publication {
  /** The files, such as the `files` of an `<input type="file" multiple>` or `<input type="file" webkitdirectory>`. */
  files: Iterable<FileInput>;
}

/** The input of {@link deployDirectory}. */
export interface DeployDirectoryInput extends Publication {
  directory: DirectoryHandle;
}

/** The options of a deploy from a page. */
export type BrowserDeployOptions = Pick<DeployOptions, 'signal' | 'onCommitted' | 'retries'>;

/**
 * Publishes files, emits the events of the deploy, and returns the deployment. Sends only the contents that the server does not
 * have. Files that must not be published, such as `.env`, and files that a `.berthignore` lists are skipped.
 *
 * Memory does not grow with the size of the files. `uploaded` is emitted after each request, which has up to 8 MiB or one larger
 * file. To abort, stop iterating or abort `signal`. A page that is closed before `committed` publishes nothing.
 *
 * @throws ClientError: `folder` if a file cannot be published or read; `aborted` if the caller aborted; otherwise the error of
 *   the server. Source: api §3, §9.
 */
export function deployFiles(
  input: DeployFilesInput,
  options: BrowserDeployOptions = {},
): AsyncGenerator<DeployEvent, CreatedDeployment, undefined> {
  return deploy(input, options, () => listFiles(input.files));
}

/**
 * Publishes the folder of a directory handle, as {@link deployFiles} does.
 *
 * @throws ClientError of the same kinds.
 */
export function deployDirectory(
  input: DeployDirectoryInput,
  options: BrowserDeployOptions = {},
): AsyncGenerator<DeployEvent, CreatedDeployment, undefined> {
  return deploy(input, options, (signal) => listDirectory(input.directory, signal));
}

function deploy(
  publication: Publication,
  options: BrowserDeployOptions,
  list: (signal: AbortSignal) => Promise<FileList>,
): AsyncGenerator<DeployEvent, CreatedDeployment, undefined> {
  return yieldEvents(options.signal, async (emit, signal) => {
    checkPublication(publication);
    const { found, skipped } = await list(signal);
    emit({ type: 'walked', total: amountOf(found), skipped });
    const files = await hashFiles(found, emit, signal);
    const sendContents = blobSender(publication, files);
    return publishHashed(
      { publication, files, sendContents, resumeState: unsavedResumeState() },
      options,
      emit,
      signal,
    );
  });
}

/** The parts of a deploy whose files are hashed. */
interface HashedDeploy {
  publication: Publication;
  files: readonly HashedFile[];
  sendContents: ContentsSender;
  /** The unfinished deploy, which a later call can resume. */
  resumeState: ResumeState;
}

/**
 * Publishes files that are hashed, and emits the events of {@link deployFiles} from `planned` on.
 *
 * @throws ClientError of the same kinds. The upload stays open on the server if the resume state is persistent, unless the reason of
 *   the abort is `CANCELLED`.
 */
export function deployHashed(
  deploy: HashedDeploy,
  options: BrowserDeployOptions = {},
): AsyncGenerator<DeployEvent, CreatedDeployment, undefined> {
  return yieldEvents(options.signal, async (emit, signal) => {
    checkPublication(deploy.publication);
    return publishHashed(deploy, options, emit, signal);
  });
}

function publishHashed(
  { files, ...deploy }: HashedDeploy,
  options: BrowserDeployOptions,
  emit: (event: DeployEvent) => void,
  signal: AbortSignal,
): Promise<CreatedDeployment> {
  const contents = new Map(files.map(({ path, content }) => [path, content]));
  const source = {
    files: files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
    read: ({ path }: { path: string }) => piecesOf(new Blob([contents.get(path)!])),
  };
  return publish({ ...deploy, source, lastDeployment: null, emit, signal }, options, uploadDelta, () => {});
}

/** Creates a sender of blobs, whose bytes the browser reads while it sends them. Browsers cannot stream a body over HTTP/1. */
function blobSender({ client }: Publication, files: readonly HashedFile[]): ContentsSender {
  const bodyOf = bodiesOf(files);
  return async (path, init, contents, progress) => {
    const body = bodyOf(contents);
    const response = await client.request(path, { ...init, body });
    for (const { size } of contents) {
      progress.onPiece(size);
      progress.onFile();
    }
    progress.onBytes(body.size);
    return response;
  };
}
