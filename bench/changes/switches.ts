import type pg from 'pg';
import { nameOf } from './rows.ts';

/** Reads the functions of the triggers. */
export const FUNCTIONS = `
  select pg_get_functiondef(oid) as body from pg_proc where proname in ('tell_site', 'tell_activity')`;

/** The functions of the triggers as they were with notifications. */
export const NOTIFY = `
  create or replace function tell_activity() returns trigger language plpgsql as $$
  begin
    perform pg_notify('berth_activity', json_build_object('account', new.account_id, 'id', new.id)::text);
    return null;
  end $$;
  create or replace function tell_site() returns trigger language plpgsql as $$
  begin
    perform pg_notify('berth_site', json_build_object(tg_argv[0], case when tg_op = 'DELETE' then
      to_jsonb(old) else to_jsonb(new) end -> tg_argv[1])::text);
    return null;
  end $$`;

/** The statements with which a domain is switched. They are a function, because parsing them would take most of the time. */
export const SWITCH = `
  create function switch_domain(account text, name text, target text) returns void language plpgsql as $$
  begin
    perform from account a where a.id = switch_domain.account for update;
    perform from domain d where d.account_id = switch_domain.account and d.name = switch_domain.name for update;
    update domain d set deployment_id = target, linked = now(), links = links + 1
      where d.account_id = switch_domain.account and d.name = switch_domain.name;
    update domain_version v set unlinked = now()
      where v.account_id = switch_domain.account and v.domain = switch_domain.name and v.unlinked is null;
    insert into domain_version (account_id, domain, deployment, linked, by) values (account, name, target, now(), 'api');
    insert into activity (account_id, event, created, deployment, domain, auth_method, meta)
      values (account, 'domain.update', now(), target, name, 'api', '{}');
  end $$`;

/** Switches domains of different accounts for some time, one client each. @returns The switches a second. */
export async function measureSwitches(clients: readonly pg.Client[], durationMs: number): Promise<number> {
  const start = performance.now();
  let switches = 0;
  await Promise.all(
    clients.map(async (client, site) => {
      for (let version = 1; performance.now() - start < durationMs; version += 1) {
        await client.query({
          name: 'switch',
          text: 'select switch_domain($1, $2, $3)',
          values: [`acc-${site}`, nameOf(site), `site-${site}-${version % 2}`],
        });
        switches += 1;
      }
    }),
  );
  return switches / ((performance.now() - start) / 1_000);
}
