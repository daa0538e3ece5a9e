import type { BeginUpload, CreatedDeployment } from '@berth/contract';
import { ClientError, stateOf } from '../errors.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import { retry } from '../retry.ts';
import type { Difference } from './changes.ts';
import { CANCELLED } from './input.ts';
import { sendContents } from './send-contents.ts';
import { createUploadProgress, type UploadProgress } from './upload-progress.ts';
import type { Work } from './work.ts';

/** How often an upload is begun anew that the server does not go on with. */
const BEGIN_ANEW = 2;

/**
 * After a body that broke off, the server makes durable what arrived of it. Whoever asks what is missing before that is told
 * too much.
 */
const KEEPING_MS = 200;

/** How long an upload that is dropped is waited for. Left behind, it expires. */
const DROP_MS = 3_000;

/** An upload that is open, and one file for each content that it waits for. */
interface OpenUpload {
  upload: string;
  missing: FolderFile[];
}

/**
 * Publishes by sending what the server lacks.
 *
 * What was published before is the base, so that only the difference is listed; where there is none, or the server has it no
 * more, every file is. An upload that broke off is resumed, also that of an earlier run. One that no later run can resume,
 * or that was cancelled, is dropped.
 *
 * @returns `null` when the server has no such procedures; nothing was sent then.
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

/** An upload that cannot be dropped now expires later. */
async function drop({ asked, unfinished }: Work, upload: string): Promise<void> {
  try {
    await asked.client.api.deployments.abort.mutate({ upload }, { signal: AbortSignal.timeout(DROP_MS) });
    unfinished.done();
  } catch (failure) {
    if (!(failure instanceof ClientError)) throw failure;
  }
}

/** @param onBegun Called with the name of each upload that is begun. */
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
 * Sends until nothing is missing. After a failure that passes, the server is asked what still is.
 *
 * @returns The name of the upload.
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

/** Begins an upload, or goes on with the one of the same key. `null` when the server has no such procedure. */
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

/** One file for each content. */
function filesOf(files: readonly FolderFile[], missing: readonly string[]): FolderFile[] {
  const wanted = new Set(missing);
  return files.filter(({ sha256 }) => wanted.delete(sha256));
}

/** The upload is not where it was thought to be: contents are missing, or another run has committed it. */
function isElsewhere(failure: unknown): boolean {
  const state = stateOf(failure);
  return state === 'incomplete' || state === 'committed';
}

function isStatus(failure: unknown, ...statuses: number[]): boolean {
  return failure instanceof ClientError && failure.status !== null && statuses.includes(failure.status);
}
