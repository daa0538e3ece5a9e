import {
  type BerthClient,
  CANCELLED,
  ClientError,
  deployFolder,
  readFolder,
  type RetryPolicy,
  wholeDomainName,
} from '@berth/client';
import type { CreatedDeployment, Domain } from '@berth/contract';
import type { PublishOptions } from '../../shared/publishing.ts';
import { beginProgress, leftOutOf, type ProgressView, showProgress } from '../progress.ts';
import type { EndReason } from './line.ts';

/** How long the last answer is waited for when everything is sent and somebody gives up, in milliseconds. */
const LAST_ANSWER_MS = 5_000;

export interface AttemptInput {
  /** Whom it is published as. May throw. */
  client(): BerthClient;
  /** The folder to publish, once it is there. May throw. */
  folder(signal: AbortSignal): Promise<string>;
  options: Omit<PublishOptions, 'password'> & { password: string | null };
  /** What an earlier attempt has made of it: only its domain is left to be linked. */
  live: CreatedDeployment | null;
  /** Keeps what is live. */
  keep(deployment: CreatedDeployment): Promise<void>;
  cacheDir: string;
  retries: Partial<RetryPolicy> | undefined;
  /** Hears how far it is. */
  show(view: ProgressView): void;
}

/** How an attempt ended. */
export interface Outcome {
  /** What is live; `null` when nothing is, or that is not known. */
  deployment: CreatedDeployment | null;
  /** The domain that shows it. */
  domain: Domain | null;
  /** Why not everything that was asked for is done; `null` when it is. */
  failure: unknown;
  /** Whether more of it is on the server than before. */
  progressed: boolean;
}

/**
 * Publishes a folder once, going on with what broke off before. It does not throw.
 *
 * Whoever gives up at the moment when all is sent hears what became of it, as long as the server answers soon.
 *
 * @param signal Aborted with an {@link EndReason}.
 */
export async function attemptPublishing(input: AttemptInput, signal: AbortSignal): Promise<Outcome> {
  const { options, cacheDir, retries } = input;
  const outcome: Outcome = { deployment: null, domain: null, failure: null, progressed: false };
  const engine = new AbortController();
  let view = beginProgress();
  let timer: NodeJS.Timeout | undefined;

  function show(next: ProgressView): void {
    view = next;
    input.show(view);
  }

  function giveUp(): void {
    const reason = signal.reason as EndReason;
    if (reason === 'cancelled' && view.progress.phase === 'finishing')
      timer = setTimeout(() => engine.abort(CANCELLED), LAST_ANSWER_MS);
    else engine.abort(reason === 'cancelled' ? CANCELLED : undefined);
  }

  signal.addEventListener('abort', giveUp, { once: true });
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
    for (; step.done !== true; step = await reading.next()) show(showProgress(view, step.value, Date.now()));
    const snapshot = step.value;
    // What turned out to be a private key while it was read is among what was left out.
    show({ ...view, leftOut: leftOutOf(snapshot.skipped) });
    const asked = { folder, client, ...options, via: 'desktop' };
    const onCommitted = (deployment: CreatedDeployment): Promise<void> => {
      outcome.deployment = deployment;
      return input.keep(deployment);
    };
    const how = { cacheDir, retries, snapshot, signal: engine.signal, onCommitted };
    for await (const event of deployFolder(asked, how)) {
      if (event.type === 'linked') outcome.domain = event.domain;
      if (event.type === 'uploaded') outcome.progressed ||= event.done.files > 0;
      show(showProgress(view, event, Date.now()));
    }
  } catch (thrown) {
    outcome.failure = signal.aborted ? new ClientError('aborted', 'It was given up before its end.') : thrown;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
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
