/**
 * The tables of an exported account, each after the tables that it refers to, and the condition for the rows of the account
 * `$account`. Uploads, idempotency records and rate limits stay behind: they matter for hours only.
 * Invitations stay behind too: their links lead to this server.
 */
export const ACCOUNT_TABLES: Readonly<Record<string, string>> = {
  account: 'id = $account',
  member: 'account_id = $account order by id',
  token: 'account_id = $account order by id',
  plan_change: 'account_id = $account',
  deployment: `account_id = $account and status = 'success' and (expires is null or expires > now())`,
  manifest: `deployment_id in (select id from deployment where account_id = $account and status = 'success' and (expires is null or expires > now()))`,
  domain: 'account_id = $account order by id',
  domain_version: 'account_id = $account order by id',
  activity: 'account_id = $account order by id',
};
