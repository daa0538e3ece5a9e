import { type DeployOptions, normalizeVia } from '@berth/contract';
import type { Caller, Scope } from '../../core.ts';
import { invalid, ServiceError } from '../../errors.ts';
import { requireDomainAccess } from '../domain-access.ts';
import { requireUsableName } from '../domain-names.ts';

/** The options of a deploy, checked and with their defaults. Absent fields leave the fingerprint of a deploy unchanged. */
export interface DeploySettings {
  labels: string[];
  /** The password, trimmed and in NFC; `null` for none. */
  password: string | null;
  via: string;
  /** The lifetime of the deployment in seconds; `null` for a permanent deployment. */
  ttlSeconds: number | null;
  target?: DomainTarget;
}

/** The domain that a deploy points at its deployment. */
export interface DomainTarget {
  /** The normalised name. */
  domain: string;
  /** How many versions of the domain to keep; `null` for all. */
  keep: number | null;
  /** Whether the deployment gets the password of the deployment that the domain shows, if that has one. */
  inheritsPassword: boolean;
}

/** The options of a deploy. In an upload, the password `null` is the same as `open`. */
type GivenOptions = Omit<DeployOptions, 'password'> & { password?: string | null | undefined };

/**
 * Checks the options of a deploy together, and fills in the defaults.
 *
 * @throws `validation_failed` for a name that cannot be a domain, and for options that exclude each other; `forbidden` for
 *   an option that the credential cannot use; `business_logic_error` for a `ttl` with a domain. Source: api §3, §5.
 */
export function readDeployOptions({ core, caller }: Scope<Caller>, options: GivenOptions): DeploySettings {
  const { labels = [], password, via, ttl = null, domain, keep } = options;
  refuseForbiddenOptions({ core, caller }, options);
  if (options.open && typeof password === 'string')
    throw invalid('open', 'send either open or a password, because an open site has no password');
  if (keep !== undefined && domain === undefined)
    throw invalid('keep', 'keep must be sent with domain, whose versions it limits');
  if (ttl !== null && domain !== undefined)
    throw new ServiceError(
      'business_logic_error',
      'A deployment that expires cannot be linked to a domain; leave out ttl or domain.',
      { details: { ttl } },
    );
  return {
    labels,
    password: password ?? null,
    via: normalizeVia(via),
    ttlSeconds: ttl,
    ...(domain !== undefined && {
      target: {
        domain: requireUsableName(core.addresses, domain).name,
        keep: keep ?? null,
        inheritsPassword: password === undefined && !options.open,
      },
    }),
  };
}

/**
 * Throws if the credential cannot use one of the options. Options can be checked one by one as they arrive.
 *
 * @throws `forbidden`; `validation_failed` for a name that cannot be a domain. Source: api §3, §5.
 */
export function refuseForbiddenOptions(
  { core, caller }: Scope<Caller>,
  { ttl, domain, keep, open = false, password }: GivenOptions,
): void {
  if (caller.kind === 'anonymous') {
    if (ttl !== undefined)
      throw new ServiceError('forbidden', 'ttl needs a credential; anonymous deployments expire after 3 days.');
    for (const [name, isGiven] of Object.entries({ domain: domain !== undefined, keep: keep !== undefined, open }))
      if (isGiven) throw new ServiceError('forbidden', `${name} needs a credential.`);
    return;
  }
  if (domain !== undefined) requireDomainAccess(caller, requireUsableName(core.addresses, domain).name);
  if (caller.credential !== 'deploy') return;
  if (open || (password === null && domain !== undefined))
    throw new ServiceError(
      'forbidden',
      'A deploy token cannot publish without the password of the domain; use an API key to remove the password.',
    );
  const minKeep = caller.domainAccess?.keep;
  if (keep !== undefined && minKeep !== undefined && keep < minKeep)
    throw new ServiceError('forbidden', `keep must be at least ${minKeep} for this deploy token.`);
}

/** Checks again, when an upload is committed, that the credential can use the domain of the upload. @throws `forbidden`. */
export function requireTargetAccess(scope: Scope<Caller>, { domain, keep }: DomainTarget): void {
  refuseForbiddenOptions(scope, { domain, keep: keep ?? undefined });
}
