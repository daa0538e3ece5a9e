import type { BeginUpload, CreatedDeployment } from '@berth/contract';
import { ClientError, refusalStateOf } from '../errors.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import { retry } from '../retry.ts';
import type { Difference } from './changes.ts';
import { CANCELLED } from './input.ts';
import { sendContents } from './send-contents.ts';
import { UploadProgress } from './upload-progress.ts';
import type { DeployContext } from './deploy-context.ts';

/** How many times to begin another upload if the server cannot continue the current one. */
const MAX_RESTARTS = 2;

/**
 * The server needs a moment to make durable what arrived of an interrupted body. If asked before, it reports too many contents
 * as missing.
 */
const MIN_RESUME_PAUSE_MS = 200;

/** How long to wait until the server has aborted an upload. An upload that is not aborted expires. */
const ABORT_TIMEOUT_MS = 3_000;

/** An open upload, and one file for each missing content. */
interface OpenUpload {
  upload: string;
  missing: FolderFile[];
}

/**
 * Publishes by delta upload: sends only the contents that the server does not have.
 *
 * The base is the deployment that was published before, so only the difference is listed. Without a base, or if the server no
 * longer has it, every file is listed. An interrupted upload is resumed, even one of an earlier run. The upload is aborted if
 * no later run can resume it, or if the publish was cancelled.
 *
 * Source: api §9.
 */
export async function uploadDelta(context: DeployContext, difference: Difference): Promise<CreatedDeployment> {
  let uploadId: string | null = null;
  try {
    return await sendDelta(context, difference, (upload) => (uploadId = upload));
  } catch (failure) {
    const isCancelled = context.signal.aborted && context.signal.reason === CANCELLED;
    if (uploadId !== null && (isCancelled || !context.resumeState.isPersistent)) await abortUpload(context, uploadId);
    throw failure;
  }
}

/** Aborts an upload. If that fails, the upload expires later. */
async function abortUpload({ publication, resumeState }: DeployContext, upload: string): Promise<void> {
  try {
    await publication.client.api.deployments.abort.mutate(
      { upload },
      { signal: AbortSignal.timeout(ABORT_TIMEOUT_MS) },
    );
    resumeState.forget();
  } catch (failure) {
    if (!(failure instanceof ClientError)) throw failure;
  }
}

/** @param onBegun Called with the id of each upload that is begun. */
async function sendDelta(
  context: DeployContext,
  { put, changes }: Difference,
  onBegun: (upload: string) => void,
): Promise<CreatedDeployment> {
  const { publication, signal, emit, resumeState } = context;
  const progress = new UploadProgress(emit);
  for (let restarts = 0; ; restarts += 1) {
    const open = await retry(() => begin(context, put, changes.removed), context.startRetries());
    onBegun(open.upload);
    progress.begin(open.missing);
    if (restarts === 0) emit({ type: 'planned', via: 'delta', changes, missing: progress.total });
    try {
      const upload = await sendMissing(context, open, () => begin(context, put, changes.removed), progress);
      progress.end();
      return await retry(
        () => publication.client.api.deployments.commit.mutate({ upload }, { signal }),
        context.startRetries(),
      );
    } catch (failure) {
      if (restarts === MAX_RESTARTS) throw failure;
      if (hasStatus(failure, 404)) resumeState.renew();
      else if (!isUploadStale(failure)) throw failure;
    }
  }
}

/**
 * Sends contents until none is missing. After a temporary failure, it asks the server which contents are still missing.
 *
 * @returns The id of the upload.
 */
async function sendMissing(
  { publication, source, signal, startRetries }: DeployContext,
  open: OpenUpload,
  beginAgain: () => Promise<OpenUpload>,
  progress: UploadProgress,
): Promise<string> {
  const retries = startRetries();
  for (let { upload, missing } = open; ;) {
    try {
      await sendContents(publication.client, source, upload, missing, progress, signal);
      return upload;
    } catch (failure) {
      await retries.waitAfter(failure, MIN_RESUME_PAUSE_MS);
      const resumed = await retry(beginAgain, retries);
      if (resumed.missing.length < missing.length) retries.reset();
      ({ upload, missing } = resumed);
      progress.begin(missing);
    }
  }
}

/** Begins an upload, or resumes the one with the same idempotency key. */
async function begin(
  { publication, source, lastDeployment, resumeState, signal }: DeployContext,
  put: readonly FolderFile[],
  removed: readonly string[],
): Promise<OpenUpload> {
  const { client, labels, password, ttl, via } = publication;
  const options = { labels: labels && [...labels], password: password ?? undefined, ttl, via };

  async function beginWith(input: BeginUpload): Promise<OpenUpload> {
    const headers = { 'Idempotency-Key': resumeState.key };
    const { upload, missing } = await client.api.deployments.begin.mutate(input, { signal, context: { headers } });
    return { upload, missing: filesOf(source.files, missing) };
  }

  if (lastDeployment && client.key !== null && put.length < source.files.length) {
    try {
      return await beginWith({
        ...options,
        password,
        base: lastDeployment.deployment,
        put: [...put],
        remove: [...removed],
      });
    } catch (failure) {
      if (!hasStatus(failure, 404, 422)) throw failure;
    }
  }
  const full = { ...options, files: [...source.files] };
  try {
    return await beginWith(full);
  } catch (failure) {
    if (refusalStateOf(failure) !== 'idempotency_key_used') throw failure;
    resumeState.renew();
    return beginWith(full);
  }
}

/** Returns one file for each missing content. */
function filesOf(files: readonly FolderFile[], missing: readonly string[]): FolderFile[] {
  const wanted = new Set(missing);
  return files.filter(({ sha256 }) => wanted.delete(sha256));
}

/** Returns true if the upload has an unexpected state: contents are missing, or another run has committed it. */
function isUploadStale(failure: unknown): boolean {
  const state = refusalStateOf(failure);
  return state === 'incomplete' || state === 'committed';
}

function hasStatus(failure: unknown, ...statuses: number[]): boolean {
  return failure instanceof ClientError && failure.status !== null && statuses.includes(failure.status);
}
