import type {
  Activity,
  ActivityList,
  Deployment,
  DeploymentChanges,
  Domain,
  DomainDns,
  DomainList,
  DomainRecords,
  DomainShare,
  DomainValidation,
  DomainVersionList,
  Site,
  SiteList,
  VerifiedDomain,
} from '@berth/contract';

/** A problem that is described to the user. */
export interface Problem {
  kind: 'network' | 'unavailable' | 'signed-out' | 'refused' | 'folder' | 'server' | 'aborted' | 'unexpected';
  /** A sentence that says what went wrong. */
  message: string;
  /** A sentence that says what to do next; `null` if the user can only try again. */
  next: string | null;
  /** The file that caused the problem, as a path in the folder; `null` if no single file did. */
  file: string | null;
}

/** The result of a request. A failure is a value, so that every caller handles it. */
export type Answer<T> = { ok: true; value: T } | { ok: false; problem: Problem };

/** Which part of a list to read. Without a cursor, the list begins with its newest item. */
interface ListPage {
  cursor?: string | undefined;
}

/** Which activities to list. Default: all. */
export interface ActivityFilter {
  /** Events, or groups of them such as `domain`, separated by commas. */
  event?: string | undefined;
  /** The cause. */
  authMethod?: string | undefined;
}

/** The requests of an account that both windows send: the desktop app through its main process, the console to the server. */
export interface AccountApi {
  labelDeployment(change: { deployment: string; labels: string[] }): Promise<Answer<Deployment>>;
  deleteDeployment(of: { deployment: string }): Promise<Answer<unknown>>;
  listDomains(page: ListPage): Promise<Answer<DomainList>>;
  /** Adds a domain, or points it at another deployment. */
  putDomain(change: {
    domain: string;
    deployment?: string | undefined;
    labels?: string[] | undefined;
  }): Promise<Answer<Domain>>;
  verifyDomain(of: { domain: string }): Promise<Answer<VerifiedDomain>>;
  readRecords(of: { domain: string }): Promise<Answer<DomainRecords>>;
  shareDomain(of: { domain: string }): Promise<Answer<DomainShare>>;
  deleteDomain(of: { domain: string }): Promise<Answer<unknown>>;
  listActivities(page: ListPage & ActivityFilter): Promise<Answer<ActivityList>>;
}

/** What both windows can know and change about an account besides {@link AccountApi}: sites, versions and names. */
export interface SitesApi {
  listSites(page: ListPage & { search?: string | undefined }): Promise<Answer<SiteList>>;
  readSite(of: { site: string }): Promise<Answer<Site>>;
  /** Deletes a site: a domain with the deployments that no other domain shows, or a deployment. All of it or nothing. */
  deleteSite(of: { site: string }): Promise<Answer<unknown>>;
  readDeployment(of: { deployment: string }): Promise<Answer<Deployment>>;
  /** Changes what is given: the labels, the password (`null` removes it) or the seconds until the site expires (`null` for never). */
  changeDeployment(change: {
    deployment: string;
    labels?: string[] | undefined;
    password?: string | null | undefined;
    ttl?: number | null | undefined;
  }): Promise<Answer<Deployment>>;
  readChanges(of: { deployment: string; from: string }): Promise<Answer<DeploymentChanges>>;
  /** Returns the address from which the browser downloads the files of a deployment; `null` in a window that cannot download. */
  readonly downloadUrl: ((deployment: string) => string) | null;
  listVersions(page: ListPage & { domain: string }): Promise<Answer<DomainVersionList>>;
  readDomain(of: { domain: string }): Promise<Answer<Domain>>;
  validateDomain(of: { domain: string }): Promise<Answer<DomainValidation>>;
  /** Returns the DNS provider of a domain, if it is known. */
  readProvider(of: { domain: string }): Promise<Answer<DomainDns>>;
}

/** Removes a listener. */
export type Unsubscribe = () => void;

/** What a window gives to the shared pages, so that they do not depend on how it reaches the server. Its functions never reject. */
export interface Backend {
  readonly api: AccountApi;
  /** Calls the listener for each new activity of the account. */
  onActivity(listener: (activity: Activity) => void): Unsubscribe;
  /** Calls the listener when activities arrive again after a gap. A list that was read earlier may be out of date. */
  onResume(listener: () => void): Unsubscribe;
  /** Reads the account and its usage again. */
  refreshAccount(): void;
  copy(text: string): Promise<Answer<unknown>>;
  /** Opens a link outside the window; `null` in a browser, where a link needs no help. */
  readonly openLink: ((url: string) => void) | null;
}
