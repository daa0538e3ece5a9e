import type { BeginUpload, CreatedDeployment } from '@berth/contract';
import { ClientError, refusalStateOf } from '../errors.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import type { LastDeployment } from '../folder/last-deployment.ts';
import { retry, type RetryCounter } from '../retry.ts';
import type { Difference } from './compare.ts';
import type { DeployEvent } from './events.ts';
import { CANCELLED, type Publication } from './input.ts';
import type { ResumeState } from './resume-state.ts';
import { type ContentsSender, sendContents } from './send-contents.ts';
import type { Source } from './source.ts';
import { UploadProgress } from './upload-progress.ts';

/** What the steps of one deploy share. */
export interface DeployContext {
  source: Source;
  publication: Publication;
  lastDeployment: LastDeployment | null;
  resumeState: ResumeState;
  sendContents: ContentsSender;
  emit(event: DeployEvent): void;
  signal: AbortSignal;
  /** Creates a counter for the failures of one step. The first counter is for the first request of the deploy. */
  startRetries(): RetryCounter;
}

/** How many times to begin another upload if the server cannot continue the current upload. */
const MAX_RESTARTS = 2;

/**
 * The minimum pause before an upload is resumed, in milliseconds. The server needs some time to record the contents of an
 * interrupted body; before that, it reports them as missing.
 */
const MIN_RESUME_PAUSE_MS = 200;

/** The time limit for aborting an upload, in milliseconds. An upload that is not aborted expires. */
const ABORT_TIMEOUT_MS = 3_000;

/** An open upload, and one file for each missing content. */
interface OpenUpload {
  upload: string;
  missing: FolderFile[];
}

/**
 * Publishes by delta upload: sends only the contents that the server does not have.
 *
 * The request lists the difference to the last deployment, which is the base of the upload. Without a base, or if the server no
 * longer has it, the request lists every file. An interrupted upload is resumed, even by a later run. The upload is aborted if
 * no later run can resume it, or if the caller cancelled the deploy.
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

async function sendDelta(
  context: DeployContext,
  { put, changes }: Difference,
  onBegun: (upload: string) => void,
): Promise<CreatedDeployment> {
  const { publication, signal, emit, resumeState } = context;
  const progress = new UploadProgress(emit);
  for (let restarts = 0; ; restarts += 1) {
    const open = await retry(() => beginUpload(context, put, changes.removed), context.startRetries());
    onBegun(open.upload);
    progress.begin(open.missing);
    if (restarts === 0) emit({ type: 'planned', via: 'delta', changes, missing: progress.total });
    try {
      const upload = await sendMissing(context, open, () => beginUpload(context, put, changes.removed), progress);
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

/** Sends contents until none is missing, and returns the id of the upload. */
async function sendMissing(
  { publication, sendContents: sender, signal, startRetries }: DeployContext,
  open: OpenUpload,
  beginAgain: () => Promise<OpenUpload>,
  progress: UploadProgress,
): Promise<string> {
  const retries = startRetries();
  for (let { upload, missing } = open; ;) {
    try {
      await sendContents(publication.client, sender, upload, missing, progress, signal);
      return upload;
    } catch (failure) {
      await retries.waitAfter(failure, MIN_RESUME_PAUSE_MS);
      const resumedUpload = await retry(beginAgain, retries);
      if (resumedUpload.missing.length < missing.length) retries.reset();
      ({ upload, missing } = resumedUpload);
      progress.begin(missing);
    }
  }
}

/** Begins an upload, or resumes the upload with the same idempotency key. */
async function beginUpload(
  { publication, source, lastDeployment, resumeState, signal }: DeployContext,
  put: readonly FolderFile[],
  removed: readonly string[],
): Promise<OpenUpload> {
  const { client, labels, password, ttl, via, domain, keep } = publication;
  const givenPassword = domain === undefined ? (password ?? undefined) : password;
  const options = { labels: labels && [...labels], password: givenPassword, ttl, via, domain, keep };

  async function beginWith(input: BeginUpload): Promise<OpenUpload> {
    const headers = { 'Idempotency-Key': resumeState.key };
    const { upload, missing } = await client.api.deployments.begin.mutate(input, { signal, context: { headers } });
    const missingHashes = new Set(missing);
    return { upload, missing: source.files.filter(({ sha256 }) => missingHashes.delete(sha256)) };
  }

  if (lastDeployment && !client.isAnonymous && put.length < source.files.length) {
    const base = lastDeployment.deployment;
    try {
      return await beginWith({ ...options, password, base, put: [...put], remove: [...removed] });
    } catch (failure) {
      if (!hasStatus(failure, 404, 422)) throw failure;
    }
  }
  const fullUpload = { ...options, files: [...source.files] };
  try {
    return await beginWith(fullUpload);
  } catch (failure) {
    if (refusalStateOf(failure) !== 'idempotency_key_used') throw failure;
    resumeState.renew();
    return beginWith(fullUpload);
  }
}

/** Returns true if the commit failed because contents are missing, or because another run has committed the upload. */
function isUploadStale(failure: unknown): boolean {
  return ['incomplete', 'committed'].includes(refusalStateOf(failure) ?? '');
}

function hasStatus(failure: unknown, ...statuses: number[]): boolean {
  return failure instanceof ClientError && failure.status !== null && statuses.includes(failure.status);
}
