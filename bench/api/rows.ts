import type pg from 'pg';

/** Number of deployments of the account: 1,000 pages of 100. */
export const DEPLOYMENTS = 100_000;
const OTHER_ROWS = 1_000;

/** One row of each kind that the account has. */
export interface Sample {
  account: string;
  deployment: string;
  token: string;
  domain: string;
}

/** Fills the account of the owner, and inserts as many deployments of another account between them in time. */
export async function fillAccount(client: pg.Client): Promise<Sample> {
  const { rows } = await client.query<{ id: string }>('select id from account');
  const account = rows[0]!.id;
  await client.query(`
    insert into account (id, email, plan, created, dns_name, period_started, deployment_count)
    values ('acc-neighbour', 'neighbour@bench', 'scale', now(), 'zzzzzzz', now(), ${DEPLOYMENTS})`);
  for (const [owner, words] of [
    [account, 'calm-otter'],
    ['acc-neighbour', 'warm-heron'],
  ])
    await client.query(
      `insert into deployment (id, account_id, status, files, size, labels, via, created)
       select $2 || '-' || lpad(n::text, 7, '0'), $1, 'success', 1, 100, '{bench}', 'api', now() - n * interval '1 second'
       from generate_series(1, ${DEPLOYMENTS}) n`,
      [owner, words],
    );
  await client.query('update account set deployment_count = $2 where id = $1', [account, DEPLOYMENTS]);
  await client.query(
    `insert into activity (account_id, event, created, deployment, auth_method, meta)
     select $1, 'deployment.create', now() - n * interval '1 second', 'calm-otter-' || lpad(n::text, 7, '0'), 'api-key', '{}'
     from generate_series(1, ${DEPLOYMENTS}) n`,
    [account],
  );
  await client.query(
    `insert into token (account_id, token, kind, secret_hash, last4, labels, created)
     select $1, 't' || lpad(n::text, 6, '0'), 'deploy', sha256(n::text::bytea), '0000', '{}', now() - n * interval '1 second'
     from generate_series(1, ${OTHER_ROWS}) n`,
    [account],
  );
  await client.query(
    `insert into domain (account_id, name, kind, status, labels, created, verified, checks)
     select $1, 'name-' || n || '.localhost', 'platform', 'success', '{}', now() - n * interval '1 second', now(), '[]'
     from generate_series(1, ${OTHER_ROWS}) n`,
    [account],
  );
  await client.query('analyze');
  return { account, deployment: 'calm-otter-0050000', token: 't000500', domain: 'name-500.localhost' };
}
