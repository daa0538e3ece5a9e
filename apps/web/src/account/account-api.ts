import { type BerthClient, requireWholeName } from '@berth/client/browser';
import type { AccountApi, SitesApi } from '@berth/ui/backend';
import { answerOf } from './answers.ts';

/** Sends the requests of the shared pages to the server. */
export function createAccountApi(client: BerthClient): AccountApi {
  const { api } = client;
  return {
    labelDeployment: (change) => answerOf(api.deployments.update.mutate(change)),
    deleteDeployment: (of) => answerOf(api.deployments.delete.mutate(of)),
    listDomains: (page) => answerOf(api.domains.list.query(page)),
    putDomain: (change) => answerOf(withWholeName(client, change).then((whole) => api.domains.put.mutate(whole))),
    verifyDomain: (of) => answerOf(api.domains.verify.mutate(of)),
    readRecords: (of) => answerOf(api.domains.records.query(of)),
    shareDomain: (of) => answerOf(api.domains.share.query(of)),
    deleteDomain: (of) => answerOf(api.domains.delete.mutate(of)),
    listActivities: (page) => answerOf(api.activities.list.query({ ...page, limit: 100 })),
  };
}

/** Sends the requests of the pages for sites to the server. */
export function createSitesApi(client: BerthClient): SitesApi {
  const { api, server } = client;
  return {
    listSites: (page) => answerOf(api.sites.list.query(page)),
    readSite: (of) => answerOf(api.sites.get.query(of)),
    deleteSite: (of) => answerOf(api.sites.delete.mutate(of)),
    readDeployment: (of) => answerOf(api.deployments.get.query(of)),
    changeDeployment: (change) => answerOf(api.deployments.update.mutate(change)),
    readChanges: (of) => answerOf(api.deployments.changes.query(of)),
    downloadUrl: (deployment) => new URL(`deployments/${encodeURIComponent(deployment)}/archive`, server).href,
    listVersions: (page) => answerOf(api.domains.versions.query(page)),
    readDomain: (of) => answerOf(api.domains.get.query(of)),
    validateDomain: (of) => answerOf(withWholeName(client, of).then((whole) => api.domains.validate.mutate(whole))),
    readProvider: (of) => answerOf(api.domains.dns.query(of)),
  };
}

/** Completes the name of a domain: one word is a name below the domain of the server. */
async function withWholeName<T extends { domain: string }>(client: BerthClient, of: T): Promise<T> {
  return { ...of, domain: await requireWholeName(client, of.domain) };
}
