import { setImmediate } from 'node:timers/promises';
import { openDatabase } from '@berth/core';
import pg from 'pg';
import { nameOf, SITES } from './rows.ts';

const PER_TRANSACTION = 8;

/** What the writers have committed: the version of each site, as of the answer to its commit. */
export interface Truth {
  acknowledged: Uint32Array;
  changes: number;
}

/** Changes sites in transactions of different lengths, some of which roll back, until `total` changes are committed. */
export async function writeChanges(clients: readonly pg.Client[], truth: Truth, total: number): Promise<void> {
  const share = SITES / clients.length;
  await Promise.all(
    clients.map(async (client, writer) => {
      for (let round = 1; truth.changes < total; round += 1) {
        const first = writer * share + ((round * PER_TRANSACTION) % share);
        const sites = Array.from({ length: PER_TRANSACTION }, (_, n) => first + n);
        await client.query('begin');
        await client.query(`update domain set status = status, labels = array[$2] where name = any($1)`, [
          sites.map(nameOf),
          String(round),
        ]);
        for (let wait = (round * 7 + writer) % 4; wait > 0; wait -= 1) await client.query('select 1');
        const isKept = round % 10 !== 9;
        await client.query(isKept ? 'commit' : 'rollback');
        if (!isKept) continue;
        for (const site of sites) truth.acknowledged[site] = round;
        truth.changes += PER_TRANSACTION;
      }
    }),
  );
}

/** What a reader has found. */
export interface Findings {
  reads: number;
  /** Entries that were older than what was acknowledged before the read. */
  stale: number;
  /** Entries that were wrong at the end. */
  lost: number;
  /** How often the log reported that changes may be missing. */
  gaps: number;
}

/**
 * Keeps the versions of all sites in memory by the change log, and compares them after each read with what was acknowledged before.
 *
 * @param url The database, a pooler in front of it, or a standby to which commits were applied when they are acknowledged.
 */
export async function checkReader(url: string, truth: Truth, isWriting: () => boolean): Promise<Findings> {
  const { changes, close } = openDatabase({ url });
  const client = new pg.Client(url);
  await client.connect();
  const cached = new Uint32Array(SITES);
  const siteOf = new Map(Array.from({ length: SITES }, (_, site) => [nameOf(site), site]));
  const findings: Findings = { reads: 0, stale: 0, lost: 0, gaps: -1 };
  let forgotten = new Set<string>();
  const forgetAll = () => {
    findings.gaps += 1;
    forgotten = new Set(siteOf.keys());
  };
  const stop = await changes.subscribe((change) => (change ? forgotten.add(change.key) : forgetAll()), {
    poll: 'fast',
  });
  if (findings.gaps < 0) forgetAll();
  for (let isLast = false; !isLast;) {
    isLast = !isWriting();
    const expected = truth.acknowledged.slice();
    if (!(await changes.catchUp())) throw new Error(`The change log could not be read at ${url}.`);
    findings.reads += 1;
    const names = [...forgotten].filter((name) => siteOf.has(name));
    forgotten.clear();
    const { rows } = await client.query<{ name: string; version: string }>(
      'select name, labels[1] as version from domain where name = any($1)',
      [names],
    );
    for (const { name, version } of rows) cached[siteOf.get(name)!] = Number(version);
    const outdated = expected.filter((version, site) => cached[site]! < version).length;
    if (isLast) findings.lost = outdated;
    else findings.stale += outdated;
    await setImmediate();
  }
  stop();
  await client.end();
  await close();
  return findings;
}
