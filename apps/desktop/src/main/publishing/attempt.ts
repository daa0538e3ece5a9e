import {
  type BerthClient,
  CANCELLED,
  deployFolder,
  type FolderDisk,
  readFolder,
  type RetryPolicy,
  wholeDomainName,
} from '@berth/client';
import type { CreatedDeployment, Domain } from '@berth/contract';
import type { PublishOptions } from '../../shared/publishing.ts';
import { abortedError } from '../problem.ts';
import { initialProgress, leftOutOf, type ProgressView, applyDeployEvent } from '@berth/client/progress-view';
import type { EndReason } from './publish-queue.ts';

/** How long to wait for the server's final response if the user cancels after everything is sent, in milliseconds. */
const FINAL_RESPONSE_LIMIT_MS = 5_000;

export interface AttemptInput {
  /** Creates the client to publish with. May throw. */
  client(): BerthClient;
  /** Resolves to the folder to publish once the folder exists. May throw. */
  folder(signal: AbortSignal): Promise<string>;
  options: Omit<PublishOptions, 'password'> & { password: string | null };
  /** The deployment that an earlier attempt published, but could not report; `null` if no attempt did. */
  live: CreatedDeployment | null;
  /** Stores the deployment once it is live. */
  keep(deployment: CreatedDeployment): Promise<void>;
  cacheDir: string;
  /** Reads the folder. Default: the calling thread does. */
  disk: FolderDisk | undefined;
  retries: Partial<RetryPolicy> | undefined;
  /** Called with each change of the progress. */
  show(view: ProgressView): void;
}

/** The outcome of an attempt to publish. */
export interface AttemptOutcome {
  /** The live deployment; `null` if no deployment exists or the outcome is unknown. */
  deployment: CreatedDeployment | null;
  /** The domain that shows the deployment. */
  domain: Domain | null;
  /** The error that stopped the attempt; `null` if the attempt completed. */
  failure: unknown;
  /** True if the attempt uploaded at least one file. */
  progressed: boolean;
  /** The last progress of the attempt. */
  view: ProgressView;
}

/**
 * Makes one attempt to publish a folder. Resumes an interrupted upload. Does not throw. If the user cancels after everything is
 * sent, the attempt waits a short time for the server's response, so that the outcome is known.
 *
 * @param signal Aborted with an {@link EndReason}.
 */
export async function attemptPublishing(input: AttemptInput, signal: AbortSignal): Promise<AttemptOutcome> {
  const { options, cacheDir, disk, retries } = input;
  const view = initialProgress();
  const outcome: AttemptOutcome = { deployment: null, domain: null, failure: null, progressed: false, view };
  const engineAbort = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  function showProgress(next: ProgressView): void {
    outcome.view = next;
    input.show(next);
  }

  function onAbort(): void {
    const reason = signal.reason as EndReason;
    if (reason === 'cancelled' && outcome.view.progress.phase === 'finishing')
      timer = setTimeout(() => engineAbort.abort(CANCELLED), FINAL_RESPONSE_LIMIT_MS);
    else engineAbort.abort(reason === 'cancelled' ? CANCELLED : undefined);
  }

  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    showProgress(outcome.view);
    const client = input.client();
    if (input.live) {
      outcome.deployment = input.live;
      if (options.domain === undefined) return outcome;
      const domain = wholeDomainName(options.domain, input.live);
      outcome.domain = await client.api.domains.get.query({ domain }, { signal: engineAbort.signal });
      return outcome;
    }
    const folder = await input.folder(engineAbort.signal);
    const folderReading = (disk?.readFolder ?? readFolder)(folder, { cacheDir, signal: engineAbort.signal });
    let readStep = await folderReading.next();
    for (; readStep.done !== true; readStep = await folderReading.next())
      showProgress(applyDeployEvent(outcome.view, readStep.value, Date.now()));
    const snapshot = readStep.value;
    // The folder may contain private keys, which are found and skipped only when the files are read.
    showProgress({ ...outcome.view, leftOut: leftOutOf(snapshot.skipped) });
    // Without a password, a site at a domain keeps the password of the domain.
    const password = options.password ?? (options.domain === undefined ? null : undefined);
    const deployOptions = { folder, client, ...options, password, via: 'desktop' };
    const onCommitted = (deployment: CreatedDeployment): Promise<void> => {
      outcome.deployment = deployment;
      return input.keep(deployment);
    };
    const deployControl = { cacheDir, disk, retries, snapshot, signal: engineAbort.signal, onCommitted };
    for await (const event of deployFolder(deployOptions, deployControl)) {
      if (event.type === 'linked') outcome.domain = event.domain;
      if (event.type === 'uploaded') outcome.progressed ||= event.done.files > 0;
      showProgress(applyDeployEvent(outcome.view, event, Date.now()));
    }
  } catch (thrown) {
    outcome.failure = signal.aborted ? abortedError() : thrown;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
  return outcome;
}
