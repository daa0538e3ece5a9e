import type { BeginUpload, CreatedDeployment } from '@berth/contract';
import { ClientError, stateOf } from '../errors.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import { retry } from '../retry.ts';
import type { Difference } from './changes.ts';
import { CANCELLED } from './input.ts';
import { sendContents } from './send-contents.ts';
import { createUploadProgress, type UploadProgress } from './upload-progress.ts';
import type { Work } from './work.ts';

/** How often to begin another upload if the server cannot continue the current one. */
const BEGIN_ANEW = 2;

/**
 * The server needs a moment to make durable what arrived of an interrupted body. If asked before, it reports too many contents
 * as missing.
 */
const KEEPING_MS = 200;

/** How long to wait until the server has aborted an upload. An upload that is not aborted expires. */
const DROP_MS = 3_000;

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
 * @returns `null` if the server does not support delta uploads; then nothing was sent.
 * Source: contract §9.
 */
export async function uploadDelta(work: Work, difference: Difference): Promise<CreatedDeployment | null> {
  let begun: string | null = null;
  try {
    return await sendDelta(work, difference, (upload) => (begun = upload));
  } catch (failure) {
    const isGivenUp = work.signal.aborted && work.signal.reason === CANCELLED;
    if (begun !== null && (isGivenUp || !work.unfinished.isKept)) await drop(work, begun);
    throw failure;
  }
}

/** Aborts an upload. If that fails, the upload expires later. */
async function drop({ asked, unfinished }: Work, upload: string): Promise<void> {
  try {
    await asked.client.api.deployments.abort.mutate({ upload }, { signal: AbortSignal.timeout(DROP_MS) });
    unfinished.done();
  } catch (failure) {
    if (!(failure instanceof ClientError)) throw failure;
  }
}

/** @param onBegun Called with the id of each upload that is begun. */
async function sendDelta(
  work: Work,
  { put, changes }: Difference,
  onBegun: (upload: string) => void,
): Promise<CreatedDeployment | null> {
  const { asked, signal, tell, unfinished } = work;
  const progress = createUploadProgress(tell);
  for (let anew = 0; ; anew += 1) {
    const open = await retry(() => begin(work, put, changes.removed), work.retries());
    if (!open) return null;
    onBegun(open.upload);
    progress.begin(open.missing);
    if (anew === 0) tell({ type: 'planned', via: 'delta', changes, missing: progress.total });
    try {
      const upload = await sendMissing(work, open, () => begin(work, put, changes.removed), progress);
      progress.end();
      return await retry(() => asked.client.api.deployments.commit.mutate({ upload }, { signal }), work.retries());
    } catch (failure) {
      if (anew === BEGIN_ANEW) throw failure;
      if (isStatus(failure, 404)) unfinished.renew();
      else if (!isElsewhere(failure)) throw failure;
    }
  }
}

/**
 * Sends contents until none is missing. After a temporary failure, it asks the server which contents are still missing.
 *
 * @returns The id of the upload.
 */
async function sendMissing(
  { asked, source, signal, retries: countFailures }: Work,
  open: OpenUpload,
  beginAgain: () => Promise<OpenUpload | null>,
  progress: UploadProgress,
): Promise<string> {
  const retries = countFailures();
  for (let { upload, missing } = open; ;) {
    try {
      await sendContents(asked.client, source, upload, missing, progress, signal);
      return upload;
    } catch (failure) {
      await retries.after(failure, KEEPING_MS);
      const again = await retry(beginAgain, retries);
      if (!again) throw failure;
      if (again.missing.length < missing.length) retries.progressed();
      ({ upload, missing } = again);
      progress.begin(missing);
    }
  }
}

/**
 * Begins an upload, or resumes the one with the same idempotency key. Returns `null` if the server does not support delta
 * uploads.
 */
async function begin(
  { asked, source, published, unfinished, signal }: Work,
  put: readonly FolderFile[],
  removed: readonly string[],
): Promise<OpenUpload | null> {
  const { client, labels, password, ttl, via } = asked;
  const options = { labels: labels && [...labels], password: password ?? undefined, ttl, via };

  async function ask(input: BeginUpload): Promise<OpenUpload> {
    const headers = { 'Idempotency-Key': unfinished.key };
    const { upload, missing } = await client.api.deployments.begin.mutate(input, { signal, context: { headers } });
    return { upload, missing: filesOf(source.files, missing) };
  }

  if (published && client.key !== null && put.length < source.files.length) {
    try {
      return await ask({ ...options, password, base: published.deployment, put: [...put], remove: [...removed] });
    } catch (failure) {
      if (!isStatus(failure, 404, 422)) throw failure;
    }
  }
  const whole = { ...options, files: [...source.files] };
  try {
    return await ask(whole);
  } catch (failure) {
    if (isStatus(failure, 404)) return null;
    if (stateOf(failure) !== 'idempotency_key_used') throw failure;
    unfinished.renew();
    return ask(whole);
  }
}

/** Returns one file for each missing content. */
function filesOf(files: readonly FolderFile[], missing: readonly string[]): FolderFile[] {
  const wanted = new Set(missing);
  return files.filter(({ sha256 }) => wanted.delete(sha256));
}

/** Returns true if the upload has an unexpected state: contents are missing, or another run has committed it. */
function isElsewhere(failure: unknown): boolean {
  const state = stateOf(failure);
  return state === 'incomplete' || state === 'committed';
}

function isStatus(failure: unknown, ...statuses: number[]): boolean {
  return failure instanceof ClientError && failure.status !== null && statuses.includes(failure.status);
}
