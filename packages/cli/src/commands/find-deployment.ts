import { ClientError } from '@berth/client';
import { type Deployment, DEPLOYMENT_ID } from '@berth/contract';
import type { Session } from '../session.ts';
import { parseSite } from '../values.ts';
import { fullDomain } from './domains.ts';

/** Returns a deployment, or what a domain shows. @param site The id or address of either. @throws ClientError. */
export async function findDeployment({ client }: Session, site: string): Promise<Deployment> {
  const get = (id: string) => client.api.deployments.get.query({ deployment: id });
  const name = parseSite(site);
  if (DEPLOYMENT_ID.test(name.split('.', 1)[0]!.toLowerCase())) return get(name);
  const { domain, deployment } = await client.api.domains.get.query({ domain: await fullDomain(client, name) });
  if (deployment === null) throw new ClientError('refused', `${domain} does not show a deployment yet`);
  return get(deployment);
}
