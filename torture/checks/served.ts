import { checkRevoked } from '../clients/change.ts';
import type { Client, Site } from '../clients/oracle.ts';
import { replay } from '../clients/publish.ts';
import type { Town } from '../clients/steps.ts';
import { checkDomain, checkFile, unlock } from '../clients/visit.ts';

const CODINGS = ['identity', 'br', 'gzip', 'zstd'];
/** Connections are distributed at random, so several requests reach every worker of a node. */
const VISITS = 5;
const PARALLEL = 8;

/** Checks through HTTP everything that was acknowledged, while no client changes anything. */
export async function checkServed(town: Town): Promise<void> {
  const { wire, clients } = town;
  const nowSeconds = town.nowSeconds();
  const tasks: (() => Promise<void>)[] = [];
  for (const client of clients) {
    for (const site of client.sites) tasks.push(() => checkSite(town, site));
    for (const http of wire.nodes) {
      const node = { ...wire, http };
      for (const site of client.gone)
        tasks.push(...repeat(VISITS, () => checkFile(node, site, site.files[0]!, { nowSeconds })));
      tasks.push(...repeat(VISITS, () => checkDomain(node, client, nowSeconds)));
    }
    tasks.push(...checksOfCredentials(town, client));
  }
  await runAll(tasks);
}

async function checkSite(town: Town, site: Site): Promise<void> {
  const { wire } = town;
  const nowSeconds = town.nowSeconds();
  const isProtected = site.state === 'live' && site.password !== null && !site.mayHaveExpired;
  if (isProtected) {
    for (const http of wire.nodes)
      for (let i = 0; i < VISITS; i += 1)
        await checkFile({ ...wire, http }, { ...site, cookie: null }, site.files[0]!, { nowSeconds });
    if (site.cookie === null && (site.expires === null || nowSeconds < site.expires - 60)) await unlock(wire, site);
    if (site.cookie === null) return;
  }
  for (const [i, file] of site.files.entries()) {
    const coding = CODINGS[(i + site.marker.length) % CODINGS.length]!;
    for (const each of new Set(['identity', coding])) await checkFile(wire, site, file, { coding: each, nowSeconds });
  }
}

const checksOfCredentials = ({ wire }: Town, { revoked, repeatable }: Client) => [
  ...revoked.map((secret) => () => checkRevoked(wire, secret)),
  ...repeatable.slice(-2).map((order) => () => replay(wire, order)),
];

const repeat = <T>(count: number, task: T): T[] => Array.from({ length: count }, () => task);

async function runAll(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < tasks.length) await tasks[next++]!();
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}
