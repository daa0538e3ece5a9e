import { type Client } from 'pg';
import type { Core } from '../../core.ts';
import { quoteName } from '../../database/copy.ts';
import { randomDeploymentId, randomSuffix } from '../random.ts';
import { ACCOUNT_TABLES } from './account-tables.ts';
import type { Manifest } from './manifest.ts';

/** Changes to an account while it is imported. */
export interface AdoptOptions {
  /** Another e-mail address of the account. Default: that of the export. */
  email?: string | undefined;
  /** Another plan. Default: that of the export. */
  plan?: string | undefined;
  /** The plan if that of the export does not exist here. */
  defaultPlan: string;
}

/** The account as it was added, and what could not be taken over. */
export interface AdoptedAccount {
  account: string;
  email: string;
  plan: string;
  deployments: number;
  domains: number;
  /** The ids of deployments that were in use here, and the new ids. */
  renamed: { from: string; to: string }[];
  /** Platform domains that belong to another account here. They were left out. */
  takenDomains: string[];
  /** The number of keys that exist here already. They were left out. */
  takenKeys: number;
}

/** The tables whose ids this installation assigns. */
const NUMBERED = new Set(['member', 'token', 'domain', 'domain_version', 'activity']);

/**
 * Moves the rows of the temporary tables `imported_…` into the tables, in the caller's transaction, which holds the fence.
 * Hashes of keys and passwords stay, so that both still work.
 *
 * @throws Error if the e-mail address is in use, or contents are missing.
 */
export async function adoptAccount(
  session: Client,
  core: Core,
  manifest: Manifest,
  options: AdoptOptions,
): Promise<AdoptedAccount> {
  const source = manifest.account!;
  const email = options.email ?? source.email;
  const { rows: holders } = await session.query('select from account where lower(email) = lower($1)', [email]);
  if (holders.length > 0)
    throw new Error(`${email} already has an account here. Import with --email and another address.`);
  const account = await nameAccount(session, core, source.id, email, options);
  const renamed = await nameDeployments(session);
  const takenDomains = await nameDomains(session, core, source.platformHost);
  const { rowCount: takenKeys } = await session.query(
    'delete from imported_token i using token t where t.secret_hash = i.secret_hash',
  );
  await session.query(`
    update imported_account set deployment_count = (select count(*) from imported_deployment), storage_version = 0,
      storage_exact = false, storage_bytes = (select coalesce(sum(size), 0) from imported_deployment)`);
  for (const table of Object.keys(ACCOUNT_TABLES)) await insertRows(session, table);
  await referToPacks(session);
  await session.query('insert into front_page (deployment_id, due) select id, $1 from imported_deployment', [
    core.now(),
  ]);
  await session.query(
    `insert into activity (account_id, event, created, auth_method, meta) values ($1, 'account.create', $2, 'operator', $3)`,
    [account.id, core.now(), { email, plan: account.plan, imported: manifest.id }],
  );
  const { rows } = await session.query<{ deployments: number; domains: number }>(`
    select (select count(*)::int from imported_deployment) as deployments, (select count(*)::int from imported_domain) as domains`);
  return {
    account: account.id,
    email,
    plan: account.plan,
    ...rows[0]!,
    renamed,
    takenDomains,
    takenKeys: takenKeys ?? 0,
  };
}

async function nameAccount(
  session: Client,
  core: Core,
  from: string,
  email: string,
  options: AdoptOptions,
): Promise<{ id: string; plan: string }> {
  const { rows } = await session.query<{ plan: string; email: string; id_taken: boolean; name_taken: boolean }>(`
    select plan, email, exists (select from account a where a.id = i.id) as id_taken,
      exists (select from account a where a.dns_name = i.dns_name) as name_taken from imported_account i`);
  const [row] = rows;
  if (!row) throw new Error('The file has no account.');
  const id = row.id_taken ? `acc-${randomSuffix()}${randomSuffix()}` : from;
  const isKnown = core.plans.all.some(({ plan }) => plan === row.plan);
  const plan = options.plan ?? (isKnown ? row.plan : options.defaultPlan);
  await session.query(
    'update imported_account set id = $1, email = $2, plan = $3, dns_name = case when $4 then $5 else dns_name end',
    [id, email, plan, row.name_taken, randomSuffix()],
  );
  await session.query('update imported_member set email = $2 where email = $1', [row.email, email]);
  for (const table of ['member', 'token', 'plan_change', 'deployment', 'domain', 'domain_version', 'activity'])
    await session.query(`update "imported_${table}" set account_id = $1`, [id]);
  // Persons belong to an installation. Members sign in here for the first time. Without its person, the key of a member would act
  // as the owner, so it is not imported.
  await session.query(
    `delete from imported_token t where t.person_id is not null
       and not exists (select from imported_member m where m.person_id = t.person_id and m.role = 'owner')`,
  );
  for (const table of ['member', 'token']) await session.query(`update "imported_${table}" set person_id = null`);
  return { id, plan };
}

/** Keeps the ids of deployments that were never used here, and replaces the others everywhere. */
async function nameDeployments(session: Client): Promise<{ from: string; to: string }[]> {
  const { rows: kept } = await session.query<{ id: string }>(
    'insert into issued_id select id from imported_deployment on conflict do nothing returning id',
  );
  const { rows } = await session.query<{ id: string }>(
    'select id from imported_deployment where not (id = any($1)) order by id',
    [kept.map(({ id }) => id)],
  );
  const renamed: { from: string; to: string }[] = [];
  for (const { id: from } of rows) {
    let to: string;
    do to = randomDeploymentId();
    while ((await session.query('insert into issued_id values ($1) on conflict do nothing', [to])).rowCount === 0);
    renamed.push({ from, to });
    for (const column of [
      'deployment.id',
      'manifest.deployment_id',
      'domain.deployment_id',
      'domain_version.deployment',
      'activity.deployment',
    ]) {
      const [table, name] = column.split('.') as [string, string];
      await session.query(`update "imported_${table}" set "${name}" = $2 where "${name}" = $1`, [from, to]);
    }
  }
  // Forms are made again from the contents. A claim link belongs to the installation that made it.
  await session.query('update imported_deployment set address = null, claim_hash = null, compress_at = now()');
  return renamed;
}

/** Moves platform domains to the platform host of this installation, and lets custom domains be verified again. */
async function nameDomains(session: Client, core: Core, platformHost: string): Promise<string[]> {
  const names = [`.${platformHost}`, `.${core.addresses.platformHost}`];
  const moved = (column: string) =>
    `case when right(${column}, length($1)) = $1 then left(${column}, -length($1)) || $2 else ${column} end`;
  await session.query(`update imported_domain set name = ${moved('name')}`, names);
  await session.query(`update imported_domain_version set domain = ${moved('domain')}`, names);
  await session.query(`update imported_activity set domain = ${moved('domain')} where domain is not null`, names);
  await session.query(
    `update imported_token set domains = array(select ${moved('d')} from unnest(domains) as d) where domains <> '{}'`,
    names,
  );
  await session.query(
    `update imported_domain set status = case when status = 'paused' then status else 'pending' end, verified = null, checked = null,
       checks = '[]', misses = 0, missing = null, next_check = case when status = 'paused' then null else $1::timestamptz end
     where kind = 'custom'`,
    [core.now()],
  );
  await session.query(
    `update imported_domain i set share_hash = encode(gen_random_uuid()::text::bytea, 'hex')
     where exists (select from domain d where d.share_hash = i.share_hash)`,
  );
  const { rows } = await session.query<{ name: string }>(`
    delete from imported_domain i using domain d
    where i.kind = 'platform' and d.name = i.name and d.verified is not null returning i.name`);
  const taken = rows.map(({ name }) => name);
  await session.query('update imported_domain_version set unlinked = $2 where unlinked is null and domain = any($1)', [
    taken,
    core.now(),
  ]);
  return taken.toSorted();
}

async function insertRows(session: Client, table: string): Promise<void> {
  const { rows } = await session.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [`imported_${table}`],
  );
  const columns = rows.map(({ name }) => name).filter((name) => name !== 'id' || !NUMBERED.has(table));
  const list = columns.map(quoteName).join(', ');
  const order = NUMBERED.has(table) ? 'order by id' : '';
  await session.query(`insert into "${table}" (${list}) select ${list} from "imported_${table}" ${order}`);
}

/** Records which packs each deployment needs. @throws Error if a content of a manifest is not stored. */
async function referToPacks(session: Client): Promise<void> {
  const files = `
    (select m.deployment_id, substring(m.hashes from (position - 1) * 32 + 1 for 32) as hash
     from (select deployment_id, hashes || ''::bytea as hashes from imported_manifest) m
     cross join lateral generate_series(1, octet_length(m.hashes) / 32) as position) f`;
  const { rows } = await session.query<{ deployment_id: string }>(
    `select f.deployment_id from ${files} where not exists (select from content c where c.hash = f.hash) limit 1`,
  );
  if (rows.length > 0) throw new Error(`The file lacks contents of the deployment ${rows[0]!.deployment_id}.`);
  await session.query(`
    insert into deployment_pack (deployment_id, pack_id)
    select distinct f.deployment_id, c.pack_id from ${files} join content c on c.hash = f.hash`);
}
