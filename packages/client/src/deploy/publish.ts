import { type CreatedDeployment, CREDENTIAL_PREFIX, kindOfCredential, Password } from '@berth/contract';
import { ClientError } from '../errors.ts';
import { createRetryCounter, DEFAULT_RETRIES, type Retry, retry } from '../retry.ts';
import { compareWithLastDeployment, type Difference } from './compare.ts';
import type { DeployContext } from './delta.ts';
import { refuseUnusableDomain, wholeDomainName } from './domain-name.ts';
import type { DeployEvent } from './events.ts';
import type { DeployOptions, Publication } from './input.ts';

/**
 * Checks the options of a deploy, so that invalid options fail before anything is read or sent.
 *
 * @throws ClientError of the kind `signed-out` or `refused`.
 */
export function checkPublication({ client: { key }, domain, password, ttl }: Publication): void {
  checkPassword(password);
  if (domain !== undefined && (key === null || kindOfCredential(key) === 'deploy'))
    throw new ClientError('signed-out', `A domain needs an API key, which starts with "${CREDENTIAL_PREFIX.api}-".`);
  if (domain !== undefined && ttl !== undefined)
    throw new ClientError('refused', 'A deployment that expires cannot have a domain. Omit the domain or the ttl.');
  if (ttl !== undefined && key === null)
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
 * Publishes files, and links the domain. Before the first deploy to a domain, it checks that the account can use the domain.
 * Temporary failures are retried, but a server that is unreachable at the first request is not waited for.
 *
 * @param onEnd Called with the deployment after it was published and linked.
 * @throws ClientError.
 */
export async function publish(
  context: Omit<DeployContext, 'startRetries'>,
  { retries, onCommitted }: Pick<DeployOptions, 'retries' | 'onCommitted'>,
  upload: Upload,
  onEnd: (deployment: CreatedDeployment) => void,
): Promise<CreatedDeployment> {
  if (context.source.files.length === 0)
    throw new ClientError('folder', 'There are no files to publish. Add at least one.');
  const { emit, signal, resumeState } = context;
  const { client, domain } = context.publication;
  const policy = { ...DEFAULT_RETRIES, ...retries };
  let isFirstRequest = true;
  const contextWithRetries: DeployContext = {
    ...context,
    startRetries() {
      const onRetry = (event: Retry) => emit({ type: 'retried', ...event });
      const retryCounter = createRetryCounter(policy, signal, onRetry, { isFirstRequest });
      isFirstRequest = false;
      return retryCounter;
    },
  };
  if (domain !== undefined && context.lastDeployment === null) await refuseUnusableDomain(client, domain, signal);
  const difference = compareWithLastDeployment(context.lastDeployment, context.source.files);
  const deployment = await upload(contextWithRetries, difference);
  await onCommitted?.(deployment);

  function toCreated(event: DeployEvent): CreatedDeployment {
    // The key is forgotten first, because an idempotency key must never be reused with a different base.
    resumeState.forget();
    onEnd(deployment);
    emit(event);
    return deployment;
  }

  if (domain === undefined) return toCreated({ type: 'committed', deployment });
  emit({ type: 'committed', deployment });
  const link = { domain: wholeDomainName(domain, deployment), deployment: deployment.deployment };
  return toCreated({
    type: 'linked',
    domain: await retry(() => client.api.domains.put.mutate(link, { signal }), contextWithRetries.startRetries()),
  });
}
