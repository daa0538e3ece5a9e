import type { TestServer } from './server.ts';

export interface LinkedDomain {
  kind?: 'platform' | 'custom';
  status?: 'pending' | 'partial' | 'success' | 'paused';
  deployment?: string | null;
  verified?: boolean;
}

/** Inserts a domain without DNS, for the account of the deployment, or for the owner without one. */
export async function insertDomain(
  { database }: TestServer,
  name: string,
  { kind = 'custom', status = 'success', deployment = null, verified = true }: LinkedDomain = {},
): Promise<void> {
  await database.query(
    `insert into domain (account_id, name, kind, status, deployment_id, labels, created, linked, verified, checks)
     values (
       coalesce((select account_id from deployment where id = $4), (select id from account order by created limit 1)),
       $1, $2, $3, $4, '{}', now(), now(), $5, '[]')`,
    [name, kind, status, deployment, verified ? new Date() : null],
  );
}

/** Links a domain to another deployment. */
export async function switchDomain({ database }: TestServer, name: string, deployment: string): Promise<void> {
  await database.query(`update domain set deployment_id = $2 where name = $1`, [name, deployment]);
}
