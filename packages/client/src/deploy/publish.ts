import { type CreatedDeployment, CREDENTIAL_PREFIX, kindOfCredential, Password } from '@berth/contract';
import { ClientError } from '../errors.ts';
import { createRetries, DEFAULT_RETRIES, retry } from '../retry.ts';
import { differenceOf } from './changes.ts';
import { uploadDelta } from './delta.ts';
import { refuseUnusableDomain, wholeDomainName } from './domain-name.ts';
import type { DeployEvent } from './events.ts';
import type { DeployOptions, Publication } from './input.ts';
import { uploadMultipart } from './multipart.ts';
import type { Work } from './work.ts';

/**
 * Throws for input that the server would refuse at the end, before anything is read or sent.
 *
 * @throws ClientError of the kind `signed-out` or `refused`.
 */
export function refuseImpossible({ client: { key }, domain, password, ttl }: Publication): void {
  refuseBadPassword(password);
  if (domain !== undefined && (key === null || kindOfCredential(key) === 'deploy'))
    throw new ClientError('signed-out', `A domain needs an API key, which starts with "${CREDENTIAL_PREFIX.api}-".`);
  if (domain !== undefined && ttl !== undefined)
    throw new ClientError(
      'refused',
      'A deployment that expires cannot be shown at a domain: leave out the one or the other.',
    );
  if (ttl !== undefined && key === null)
    throw new ClientError(
      'signed-out',
      'A time to live needs a credential; without one a deployment lives for 3 days.',
    );
}

/** Checks a password. An empty one never means no password. @throws ClientError of the kind `refused`. Source: contract §1. */
export function refuseBadPassword(password: string | null | undefined): void {
  const reason = typeof password !== 'string' ? undefined : Password.safeParse(password).error?.issues[0]?.message;
  if (reason !== undefined)
    throw new ClientError('refused', `The password cannot be used: ${reason}. Leave it out for a public site.`);
}

/**
 * Publishes files, and links the domain. On the first deploy to a domain, it asks the server whether the account can use the
 * domain before it sends anything.
 *
 * @param onEnd Called with the deployment when everything is done.
 * @throws ClientError.
 */
export async function publish(
  work: Omit<Work, 'retries'>,
  { delta = true, retries, onCommitted }: DeployOptions,
  onEnd: (deployment: CreatedDeployment) => void,
): Promise<CreatedDeployment> {
  if (work.source.files.length === 0) throw new ClientError('folder', 'There is no file to publish.');
  const { tell, signal, unfinished } = work;
  const { client, domain } = work.asked;
  const policy = { ...DEFAULT_RETRIES, ...retries };
  const counted: Work = {
    ...work,
    retries: () => createRetries(policy, signal, (event) => tell({ type: 'retried', ...event })),
  };
  if (domain !== undefined && work.published === null) await refuseUnusableDomain(client, domain, signal);
  const difference = differenceOf(work.published, work.source.files);
  const deployment =
    (delta ? await uploadDelta(counted, difference) : null) ?? (await uploadMultipart(counted, difference.changes));
  await onCommitted?.(deployment);

  function end(event: DeployEvent): CreatedDeployment {
    // The order matters: an idempotency key must never be used with another base than before.
    unfinished.done();
    onEnd(deployment);
    tell(event);
    return deployment;
  }

  if (domain === undefined) return end({ type: 'committed', deployment });
  tell({ type: 'committed', deployment });
  const link = { domain: wholeDomainName(domain, deployment), deployment: deployment.deployment };
  return end({
    type: 'linked',
    domain: await retry(() => client.api.domains.put.mutate(link, { signal }), counted.retries()),
  });
}
