import { type CreatedDeployment, Password } from '@berth/contract';
import { ClientError } from '../errors.ts';
import { createRetryCounter, DEFAULT_RETRIES, type Retry, retry, type RetryCounter } from '../retry.ts';
import { compareWithLastDeployment, type Difference } from './compare.ts';
import type { DeployContext } from './delta.ts';
import { requireWholeName } from './domain-name.ts';
import type { DeployOptions, Publication } from './input.ts';

/**
 * Checks the options of a deploy, so that invalid options fail before anything is read or sent.
 *
 * @throws ClientError of the kind `signed-out` or `refused`.
 */
export function checkPublication({ client: { isAnonymous }, domain, keep, password, ttl }: Publication): void {
  checkPassword(password);
  if (domain !== undefined && isAnonymous)
    throw new ClientError('signed-out', 'A domain needs an API key, or a deploy token that is limited to the domain.');
  if (keep !== undefined && domain === undefined)
    throw new ClientError('refused', 'keep needs a domain, whose versions it limits. Add the domain or omit keep.');
  if (domain !== undefined && ttl !== undefined)
    throw new ClientError('refused', 'A deployment that expires cannot have a domain. Omit the domain or the ttl.');
  if (ttl !== undefined && isAnonymous)
    throw new ClientError('signed-out', 'A ttl needs a key. Without a key, a deployment expires after 3 days.');
}

/** Checks a password. An empty password is an error. @throws ClientError of the kind `refused`. Source: api §1. */
export function checkPassword(password: string | null | undefined): void {
  const reason = Password.nullish().safeParse(password).error?.issues[0]?.message;
  if (reason !== undefined)
    throw new ClientError('refused', `The password is invalid: ${reason}. Omit it for a public site.`);
}

/** Sends files, as one of the kinds of requests that publish. */
export type Upload = (context: DeployContext, difference: Difference) => Promise<CreatedDeployment>;

/**
 * Publishes files, and points the domain at the deployment in the same step. Temporary failures are retried, but a server that
 * is unreachable at the first request is not waited for.
 *
 * @param onEnd Called with the deployment after it was published.
 * @throws ClientError.
 */
export async function publish(
  context: Omit<DeployContext, 'startRetries'>,
  options: Pick<DeployOptions, 'retries' | 'onCommitted'>,
  upload: Upload,
  onEnd: (deployment: CreatedDeployment) => void,
): Promise<CreatedDeployment> {
  if (context.source.files.length === 0)
    throw new ClientError('folder', 'There are no files to publish. Add at least one.');
  const { publication, lastDeployment, source, resumeState } = context;
  const difference = compareWithLastDeployment(lastDeployment, source.files);
  return publishWith(
    context,
    options,
    (whole, startRetries) =>
      upload({ ...context, publication: { ...publication, ...whole }, startRetries }, difference),
    (deployment) => {
      // The key is forgotten first, because an idempotency key must never be reused with a different base.
      resumeState.forget();
      onEnd(deployment);
    },
  );
}

/**
 * Publishes with any kind of request, and points the domain at the deployment in the same step. The first steps and the last
 * events of every deploy.
 *
 * @param send Sends the request. Receives the full name of the domain.
 * @param onEnd Called with the deployment after it was published.
 * @throws ClientError.
 */
export async function publishWith(
  { publication, emit, signal }: Pick<DeployContext, 'publication' | 'emit' | 'signal'>,
  { retries, onCommitted }: Pick<DeployOptions, 'retries' | 'onCommitted'>,
  send: (whole: Pick<Publication, 'domain'>, startRetries: () => RetryCounter) => Promise<CreatedDeployment>,
  onEnd: (deployment: CreatedDeployment) => void = () => {},
): Promise<CreatedDeployment> {
  const policy = { ...DEFAULT_RETRIES, ...retries };
  let isFirstRequest = true;
  function startRetries(): RetryCounter {
    const onRetry = (event: Retry) => emit({ type: 'retried', ...event });
    const retryCounter = createRetryCounter(policy, signal, onRetry, { isFirstRequest });
    isFirstRequest = false;
    return retryCounter;
  }
  const domain =
    publication.domain &&
    (await retry(() => requireWholeName(publication.client, publication.domain!, signal), startRetries()));
  const deployment = await send({ domain }, startRetries);
  await onCommitted?.(deployment);
  onEnd(deployment);
  emit({ type: 'committed', deployment });
  if (domain !== undefined) await emitLinked({ publication, emit, signal, startRetries }, domain);
  return deployment;
}

/** Emits the domain of a deploy that is published. Skips the event if the server does not answer any more. */
async function emitLinked(
  { publication, emit, signal, startRetries }: Pick<DeployContext, 'publication' | 'emit' | 'signal' | 'startRetries'>,
  domain: string,
): Promise<void> {
  const { api } = publication.client;
  try {
    emit({ type: 'linked', domain: await retry(() => api.domains.get.query({ domain }, { signal }), startRetries()) });
  } catch (failure) {
    if (!(failure instanceof ClientError)) throw failure;
  }
}
