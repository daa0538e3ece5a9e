import { randomBytes } from 'node:crypto';
import { ClientError } from '@berth/client';
import { kindOfCredential } from '@berth/contract';
import type { Session } from '../session.ts';
import { isLocalSite, requestSite } from '../site-request.ts';
import { CHECK_TIMEOUT_MS, type Check, failed, passed, serverError, warned, withinTimeLimit } from './check.ts';
import { codeOf } from './network-error.ts';

/** The number of domains that a check reads. */
const MAX_DOMAINS = 100;
const MAX_NAMED_DOMAINS = 2;

/** Checks that the names of sites lead to the server, through DNS and proxies, and which domains wait for DNS records. */
export async function checkSites(session: Session): Promise<Check[]> {
  if (session.key.key === null) return [];
  try {
    const sites = await checkPlatformDomain(session, await findPlatformDomain(session));
    return [sites, ...(await checkDomains(session))];
  } catch (thrown) {
    return [failed('sites', serverError(thrown), session)];
  }
}

/** Returns the platform domain with the port of sites: that of the newest deployment, otherwise that of the server. */
async function findPlatformDomain({ client, key, server: { server } }: Session): Promise<string> {
  const { platformDomain } = await client.api.platform.limits.query();
  const isLimited = kindOfCredential(key.key ?? '') === 'deploy';
  const [newest] = isLimited ? [] : (await client.api.deployments.list.query({ limit: 1 })).deployments;
  const { port } = newest === undefined ? server : new URL(newest.url);
  return port === '' ? platformDomain : `${platformDomain}:${port}`;
}

async function checkPlatformDomain(session: Session, sitesHost: string): Promise<Check> {
  const { protocol } = session.server.server;
  const pattern = `${protocol}//*.${sitesHost}`;
  const address = new URL(`${protocol}//berth-check-${randomBytes(4).toString('hex')}.${sitesHost}/`);
  try {
    const limit = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const { status, headers } = await requestSite(address, AbortSignal.any([session.signal, limit]));
    // A site that does not exist has status 404, and every response of Berth has an id.
    if (status !== 404 || !/^[0-9a-f]{32}$/.test(String(headers['x-request-id'])))
      return warned(
        'sites',
        `something other than Berth responds at ${pattern}, with status ${status}`,
        `The proxy must pass every name below ${address.hostname.replace(/^[^.]+\./, '')} to Berth, with the Host header unchanged.`,
      );
    if (!isLocalSite(address)) return passed('sites', pattern);
    return passed('sites', `${pattern}, which only this machine can open`);
  } catch (thrown) {
    session.signal.throwIfAborted();
    const error = new ClientError('network', `${pattern} cannot be opened: ${codeOf(thrown as Error)}`);
    return { ...failed('sites', error, session, hintFor(thrown as Error, sitesHost)), message: error.message };
  }
}

function hintFor(error: Error, sitesHost: string): string {
  const name = `*.${sitesHost.replace(/:\d+$/, '')}`;
  const code = codeOf(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `Add a DNS record for ${name} that points at the server or its proxy.`;
  if (/CERT|SIGNED|SSL|TLS|EPROTO|VERIFY/.test(code)) return `The proxy needs a certificate for ${name}.`;
  return `Check that the proxy and the firewall accept connections for ${name}.`;
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
