import type pg from 'pg';

export const SITES = 1_024;
export const nameOf = (site: number) => `site-${site}.example`;

/** Inserts an account, two deployments and a verified domain for each site. */
export async function insertSites(client: pg.Client): Promise<void> {
  await client.query(`
    insert into account (id, email, plan, created, period_started, dns_name) select 'acc-' || n, n || '@bench', 'scale', now(), now(), 'dns-' || n from generate_series(0, ${SITES - 1}) n`);
  await client.query(`
    insert into deployment (id, account_id, status, files, size, labels, via, created)
    select 'site-' || n || '-' || v, 'acc-' || n, 'success', 1, 1, '{}', 'api', now()
    from generate_series(0, ${SITES - 1}) n, generate_series(0, 1) v`);
  await client.query(`
    insert into domain (account_id, name, kind, status, deployment_id, labels, created, linked, verified, checks)
    select 'acc-' || n, 'site-' || n || '.example', 'custom', 'success', 'site-' || n || '-0', '{0}', now(), now(), now(), '[]'
    from generate_series(0, ${SITES - 1}) n`);
  await client.query(`
    insert into domain_version (account_id, domain, deployment, linked, by)
    select account_id, name, deployment_id, now(), 'api' from domain`);
}
