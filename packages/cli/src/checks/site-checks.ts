import { randomBytes } from 'node:crypto';
import { get as getHttp, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import { ClientError } from '@berth/client';
import { kindOfCredential } from '@berth/contract';
import type { Session } from '../session.ts';
import { CHECK_TIMEOUT_MS, type Check, failed, passed, serverError, warned, withinTimeLimit } from './check.ts';
import { codeOf } from './network-error.ts';

/** The number of domains that a check reads. */
const MAX_DOMAINS = 100;
const MAX_NAMED_DOMAINS = 2;

/** Checks that the names of sites lead to the server, through DNS and proxies, and which domains wait for DNS records. */
export async function checkSites(session: Session): Promise<Check[]> {
  if (session.key.key === null) return [];
  try {
    const platformDomain = await findPlatformDomain(session);
    const sites = platformDomain === null ? [] : [await checkPlatformDomain(session, platformDomain)];
    return [...sites, ...(await checkDomains(session))];
  } catch (thrown) {
    return [failed('sites', serverError(thrown), session)];
  }
}

/** Returns the platform domain with its port; `null` if an older server does not name it and there are no deployments. */
async function findPlatformDomain({ client, key }: Session): Promise<string | null> {
  const limits: Readonly<Record<string, unknown>> = await client.api.platform.limits.query();
  if (typeof limits['platformDomain'] === 'string') return limits['platformDomain'];
  if (kindOfCredential(key.key ?? '') === 'deploy') return null;
  const { deployments } = await client.api.deployments.list.query({ limit: 1 });
  const newest = deployments[0];
  return newest === undefined ? null : new URL(newest.url).host.slice(newest.deployment.length + 1);
}

async function checkPlatformDomain(session: Session, platformDomain: string): Promise<Check> {
  const { protocol } = session.server.server;
  const pattern = `${protocol}//*.${platformDomain}`;
  const address = new URL(`${protocol}//berth-check-${randomBytes(4).toString('hex')}.${platformDomain}/`);
  try {
    const { status, isBerth } = await requestSite(address, session.signal);
    if (status !== 404 || !isBerth)
      return warned(
        'sites',
        `something other than Berth responds at ${pattern}, with status ${status}`,
        `The proxy must pass every name below ${address.hostname.replace(/^[^.]+\./, '')} to Berth, with the Host header unchanged.`,
      );
    if (!isLocal(address)) return passed('sites', pattern);
    return passed('sites', `${pattern}, which only this machine can open`);
  } catch (thrown) {
    session.signal.throwIfAborted();
    const error = new ClientError('network', `${pattern} cannot be opened: ${codeOf(thrown as Error)}`);
    return { ...failed('sites', error, session, hintFor(thrown as Error, platformDomain)), message: error.message };
  }
}

function hintFor(error: Error, platformDomain: string): string {
  const name = `*.${platformDomain.replace(/:\d+$/, '')}`;
  const code = codeOf(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `Add a DNS record for ${name} that points at the server or its proxy.`;
  if (/CERT|SIGNED|SSL|TLS|EPROTO|VERIFY/.test(code)) return `The proxy needs a certificate for ${name}.`;
  return `Check that the proxy and the firewall accept connections for ${name}.`;
}

function isLocal({ hostname }: URL): boolean {
  return hostname.endsWith('.localhost');
}

/** Requests a site that does not exist. Berth responds with status 404 and the id of the request. */
function requestSite(address: URL, signal: AbortSignal): Promise<{ status: number; isBerth: boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; isBerth: boolean }>();
  const options: RequestOptions = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]),
    headers: { Host: address.host },
    // Browsers resolve names below localhost to this machine; many systems do not.
    ...(isLocal(address) && { hostname: '127.0.0.1' }),
  };
  const get = address.protocol === 'https:' ? getHttps : getHttp;
  get(address, options, (response) => {
    response.resume();
    const isBerth = /^[0-9a-f]{32}$/.test(String(response.headers['x-request-id']));
    resolve({ status: response.statusCode ?? 0, isBerth });
  }).on('error', reject);
  return promise;
}

async function checkDomains(session: Session): Promise<Check[]> {
  if (kindOfCredential(session.key.key ?? '') === 'deploy') return [];
  const { domains } = await withinTimeLimit(session, (signal) =>
    session.client.api.domains.list.query({ limit: MAX_DOMAINS }, { signal }),
  );
  const waiting = domains.filter(({ status }) => status === 'pending' || status === 'partial');
  if (waiting.length === 0) return domains.length === 0 ? [] : [passed('domains', 'all have their DNS records')];
  const names = waiting.slice(0, MAX_NAMED_DOMAINS).map(({ domain }) => domain);
  const more = waiting.length > names.length ? ` and ${waiting.length - names.length} more` : '';
  return [
    warned(
      'domains',
      `DNS records are missing for ${names.join(', ')}${more}`,
      `To see what is missing: berth domains verify ${names[0]}`,
    ),
  ];
}
