import { createTestCore, type TestCore } from '@berth/testing/core';
import { type DnsServer, type Records, startDnsServer } from '@berth/testing/dns-server';
import type { AccountCaller } from '../../../src/core.ts';
import { createDns } from '../../../src/dns/dns.ts';
import { Account, Activity, Domain } from '../../../src/entities/index.ts';
import { wantedRecords } from '../../../src/services/domains/domain-records.ts';
import { verifyDomain } from '../../../src/services/domains/domains.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';

/** A core with its own DNS server, and two accounts that add domains. */
export interface DomainWorld {
  test: TestCore;
  server: DnsServer;
  alice: AccountCaller;
  bob: AccountCaller;
  /** A registrable domain that no test has used. */
  nextName(): string;
  /** Creates a domain of an account. @returns The name. */
  add(caller: AccountCaller, name: string): Promise<string>;
  verify(caller: AccountCaller, name: string): ReturnType<typeof verifyDomain>;
  rowOf(caller: AccountCaller, name: string): Promise<Domain>;
  /** The activities about a domain, oldest first, as `event authMethod`. */
  eventsOf(caller: AccountCaller, name: string): Promise<string[]>;
  /** Adds the records that an account needs to the zone: all of them, or those of some types. */
  point(caller: AccountCaller, name: string, types?: readonly string[]): Promise<void>;
  /** Deletes all domains and clears the zone. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Long timeouts: the DNS server runs in this process, which may be busy. */
export const PATIENT = { timeoutMs: 60_000, deadlineMs: 90_000 };

export async function createDomainWorld(): Promise<DomainWorld> {
  const server = await startDnsServer();
  const test = await createTestCore({ dns: createDns({ servers: [server.address], ...PATIENT }) });
  const { core } = test;
  const { caller: alice } = await test.account('pro');
  const { caller: bob } = await test.account('scale');
  let serial = 0;
  return {
    test,
    server,
    alice,
    bob,
    nextName: () => `site${(serial += 1)}.com`,
    async add(caller, name) {
      await putDomain({ core, caller }, name, {});
      return name;
    },
    verify: (caller, name) => verifyDomain({ core, caller }, name),
    rowOf: (caller, name) => core.database.em().findOneOrFail(Domain, { account: caller.account, name }),
    async eventsOf(caller, domain) {
      const rows = await core.database
        .em()
        .find(Activity, { account: caller.account, domain }, { orderBy: { id: 'asc' } });
      return rows.map(({ event, authMethod }) => `${event} ${authMethod}`);
    },
    async point(caller, name, types) {
      const account = await core.database.em().findOneOrFail(Account, { id: caller.account });
      for (const { type, name: at, values } of wantedRecords(core, account, name)) {
        if (types && !types.includes(type)) continue;
        const records: Records = { ...(server.zone.get(at) as Records | undefined) };
        server.zone.set(at, { ...records, [type]: type === 'CNAME' ? values[0] : values });
      }
    },
    async clear() {
      server.zone.clear();
      server.asked.length = 0;
      await test.database.query('delete from domain');
    },
    async close() {
      await test.close();
      await server.close();
    },
  };
}
