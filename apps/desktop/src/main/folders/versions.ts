import { type BerthClient, ClientError, findWholeName, listVersions, wholeDomainName } from '@berth/client';
import type { Deployment, Domain } from '@berth/contract';
import type { LiveVersion, Version } from '../../shared/folder.ts';
import { type FolderRecord, lacksDns } from './folder-state.ts';
import type { Folder } from './folder.ts';

/** The versions of a folder on the server, and the folder's domain. */
export interface Versions {
  /** The versions, newest first. */
  versions: Deployment[];
  /** The domain with the deployment that it shows; `null` before the domain exists. */
  domain: Domain | null;
}

/** Reads the versions of a folder from the server. @throws ClientError. */
export async function readVersions(client: BerthClient, { id, path, domain }: FolderRecord): Promise<Versions> {
  const versions = await listVersions({ client, series: id, folder: path, domain });
  const fullName = versions[0] ? wholeDomainName(domain, versions[0]) : await findWholeName(client, domain);
  return { versions, domain: fullName === null ? null : await findDomain(client, fullName) };
}

export const toVersions = ({ versions, domain }: Versions): Version[] =>
  versions.map((version) => toVersion(version, version.deployment === domain?.deployment));

/** Finds the version before the live version. @throws ClientError `refused` when the live version is the oldest. */
export function earlierVersion({ versions, domain }: Versions): Deployment {
  const liveIndex = versions.findIndex(({ deployment }) => deployment === domain?.deployment);
  const earlierDeployment = versions[liveIndex + 1];
  if (earlierDeployment) return earlierDeployment;
  throw new ClientError('refused', 'There is no earlier version. Older versions are deleted automatically.');
}

/** Finds a version by its deployment. @throws ClientError `refused` when the folder has no such version. */
export function versionOf({ versions }: Versions, deployment: string): Deployment {
  const foundVersion = versions.find((version) => version.deployment === deployment);
  if (foundVersion) return foundVersion;
  throw new ClientError('refused', `The server no longer has version ${deployment} of this folder.`);
}

/**
 * Points a folder's domain at one of its versions.
 *
 * @param paused Why the folder was paused before. The folder becomes paused again if the newest version becomes live.
 * @throws ClientError; `refused` when the folder has a password and the version has none.
 */
export async function makeVersionLive(
  client: BerthClient,
  folder: Pick<Folder, 'record' | 'change'>,
  choose: (versions: Versions) => Deployment,
  paused: FolderRecord['paused'],
): Promise<Version> {
  const record = folder.record();
  const availableVersions = await readVersions(client, record);
  const chosenVersion = choose(availableVersions);
  if (record.password && !chosenVersion.password)
    throw new ClientError('refused', 'That version has no password, so anyone could open it. Choose another version.');
  const { deployment } = chosenVersion;
  const domain = wholeDomainName(record.domain, chosenVersion);
  const { url, ...shown } = await client.api.domains.put.mutate({ domain, deployment });
  const isNewest = chosenVersion === availableVersions.versions[0];
  folder.change({
    url,
    live: toLive(chosenVersion),
    needsDns: lacksDns(shown),
    ...(isNewest && { paused: paused && ('asked' as const) }),
  });
  return toVersion(chosenVersion, true);
}

function toVersion({ deployment, url, created, files, size }: Deployment, live: boolean): Version {
  return { deployment, url, created, files, bytes: size, live };
}

function toLive({ deployment, files, size, created }: Deployment): LiveVersion {
  return { deployment, files, bytes: size, at: created * 1_000 };
}

/** Reads a folder's domain and live version from the server; `null` if the domain does not exist. @throws ClientError. */
export async function readLive(client: BerthClient, name: string) {
  const fullName = await findWholeName(client, name);
  const domain = fullName === null ? null : await findDomain(client, fullName);
  if (domain === null) return null;
  const { deployment } = domain;
  return { domain, live: deployment === null ? null : toLive(await client.api.deployments.get.query({ deployment })) };
}

async function findDomain({ api }: BerthClient, domain: string): Promise<Domain | null> {
  try {
    return await api.domains.get.query({ domain });
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return null;
    throw error;
  }
}
