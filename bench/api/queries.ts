/** A read endpoint, with the query that a bare server would run for it. `$1` is the account. */
export interface Endpoint {
  path: string;
  query: string;
  /** The query parameters after the account. */
  values: readonly string[];
}

/** Returns every endpoint that reads rows. The deployment, the token and the domain belong to the account. */
export function endpoints(deployment: string, token: string, domain: string): Endpoint[] {
  const deployments = `
    select d.*, array_to_json(array(select name from domain where deployment_id = d.id order by name collate "C" limit 100)) as domains
    from deployment d where d.account_id = $1 and (d.expires is null or d.expires > now())`;
  return [
    {
      path: '/deployments?limit=100',
      query: `${deployments} order by d.created desc, d.id desc limit 101`,
      values: [],
    },
    {
      path: `/deployments/${deployment}`,
      query: `${deployments} and d.id = $2`,
      values: [deployment],
    },
    {
      path: '/domains?limit=100',
      query: 'select * from domain where account_id = $1 order by created desc, id desc limit 101',
      values: [],
    },
    { path: `/domains/${domain}`, query: 'select * from domain where account_id = $1 and name = $2', values: [domain] },
    {
      path: '/tokens?limit=100',
      query: 'select * from token where account_id = $1 order by created desc, id desc limit 101',
      values: [],
    },
    { path: `/tokens/${token}`, query: 'select * from token where account_id = $1 and token = $2', values: [token] },
    {
      path: '/account',
      query: `select a.*, (select count(*) from member where account_id = a.id) as seats,
        (select count(*) from domain where account_id = a.id) as domains,
        (select last4 from token where account_id = a.id and kind = 'api' order by created desc limit 1) as hint
        from account a where a.id = $1`,
      values: [],
    },
    {
      path: '/activities?limit=100',
      query: 'select * from activity where account_id = $1 order by id desc limit 101',
      values: [],
    },
    { path: '/limits', query: 'select plan from account where id = $1', values: [] },
    { path: '/ping', query: 'select 1 from account where id = $1', values: [] },
  ];
}
