import {
  type BerthClient,
  CANCELLED,
  deployFolder,
  readFolder,
  type RetryPolicy,
  wholeDomainName,
} from '@berth/client';
import type { CreatedDeployment, Domain } from '@berth/contract';
import type { PublishOptions } from '../../shared/publishing.ts';
import { aborted } from '../problem.ts';
import { initialProgress, leftOutOf, type ProgressView, applyDeployEvent } from '../progress.ts';
import type { EndReason } from './publish-queue.ts';

/** How long to wait for the server's final answer if the user cancels after everything is sent, in milliseconds. */
const LAST_ANSWER_MS = 5_000;

export interface AttemptInput {
  /** The client to publish with. May throw. */
  client(): BerthClient;
  /** Resolves to the folder to publish once it exists. May throw. */
  folder(signal: AbortSignal): Promise<string>;
  options: Omit<PublishOptions, 'password'> & { password: string | null };
  /** The deployment of an earlier attempt. If there is one, only its domain must be linked. */
  live: CreatedDeployment | null;
  /** Stores the deployment once it is live. */
  keep(deployment: CreatedDeployment): Promise<void>;
  cacheDir: string;
  retries: Partial<RetryPolicy> | undefined;
  /** Called with each change of the progress. */
  show(view: ProgressView): void;
}

/** How an attempt ended. */
export interface AttemptOutcome {
  /** The live deployment; `null` if it does not exist or the outcome is unknown. */
  deployment: CreatedDeployment | null;
  /** The domain that shows the deployment. */
  domain: Domain | null;
  /** Why the attempt did not complete; `null` if it did. */
  failure: unknown;
  /** True if the attempt uploaded at least one file. */
  progressed: boolean;
}

/**
 * Makes one attempt to publish a folder. Resumes an interrupted upload. Does not throw.
 *
 * If the user cancels when everything is sent, it waits a short time for the server's answer, so that the outcome is known.
 *
 * @param signal Aborted with an {@link EndReason}.
 */
export async function attemptPublishing(input: AttemptInput, signal: AbortSignal): Promise<AttemptOutcome> {
  const { options, cacheDir, retries } = input;
  const outcome: AttemptOutcome = { deployment: null, domain: null, failure: null, progressed: false };
  const engine = new AbortController();
  let view = initialProgress();
  let timer: NodeJS.Timeout | undefined;

  function show(next: ProgressView): void {
    view = next;
    input.show(view);
  }

  function onAbort(): void {
    const reason = signal.reason as EndReason;
    if (reason === 'cancelled' && view.progress.phase === 'finishing')
      timer = setTimeout(() => engine.abort(CANCELLED), LAST_ANSWER_MS);
    else engine.abort(reason === 'cancelled' ? CANCELLED : undefined);
  }

  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    show(view);
    const client = input.client();
    if (input.live) {
      outcome.deployment = input.live;
      outcome.domain = await link(client, input.live, options.domain, engine.signal);
      return outcome;
    }
    const folder = await input.folder(engine.signal);
    const reading = readFolder(folder, { cacheDir, signal: engine.signal });
    let step = await reading.next();
    for (; step.done !== true; step = await reading.next()) show(applyDeployEvent(view, step.value, Date.now()));
    const snapshot = step.value;
    // Reading can find private keys, which are then skipped too.
    show({ ...view, leftOut: leftOutOf(snapshot.skipped) });
    const deployOptions = { folder, client, ...options, via: 'desktop' };
    const onCommitted = (deployment: CreatedDeployment): Promise<void> => {
      outcome.deployment = deployment;
      return input.keep(deployment);
    };
    const how = { cacheDir, retries, snapshot, signal: engine.signal, onCommitted };
    for await (const event of deployFolder(deployOptions, how)) {
      if (event.type === 'linked') outcome.domain = event.domain;
      if (event.type === 'uploaded') outcome.progressed ||= event.done.files > 0;
      show(applyDeployEvent(view, event, Date.now()));
    }
  } catch (thrown) {
    outcome.failure = signal.aborted ? aborted() : thrown;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
  return outcome;
}

async function link(
  { api }: BerthClient,
  made: CreatedDeployment,
  name: string | undefined,
  signal: AbortSignal,
): Promise<Domain | null> {
  if (name === undefined) return null;
  return api.domains.put.mutate({ domain: wholeDomainName(name, made), deployment: made.deployment }, { signal });
}
