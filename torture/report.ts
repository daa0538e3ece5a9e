import { cpus } from 'node:os';
import type { Result } from './run.ts';
import type { Invariant } from './violations.ts';

const MiB = 1024 ** 2;

/** Formats the result of a run as one table in Markdown. */
export function formatResult(result: Result): string {
  const { kinds, leftOut, resources, settings, tally, violations } = result;
  const { peaks } = resources;
  const count = (invariant: Invariant) => String(violations.counts.get(invariant) ?? 0);
  const rows: [string, string][] = [
    ['machine', `${cpus().length} cores, highest load ${result.load.toFixed(1)}`],
    ['nodes', `${settings.nodes} with ${settings.workers} workers each, packs on ${settings.storage}`],
    ['duration', `${(result.seconds / 60).toFixed(1)} min, ${result.rounds} rounds, seed ${settings.seed}`],
    ...kinds
      .toSorted((a, b) => a.kind.localeCompare(b.kind))
      .map((one): [string, string] => [
        one.kind,
        `${one.count} times, slowest recovery ${one.slowestSeconds.toFixed(2)} s`,
      ]),
    ...leftOut.map(({ kind, reason }): [string, string] => [kind, `left out: ${reason}`]),
    [
      'kills of the database',
      `${result.databaseKills}, slowest recovery ${result.slowestDatabaseSeconds.toFixed(2)} s`,
    ],
    [
      'requests',
      `${tally.requests}, of which ${tally.lostConnections} lost their connection and ${tally.unavailable} got 503`,
    ],
    ['deployments acknowledged', String(tally.acknowledged)],
    ['deployments lost or torn', count('acknowledged-bytes')],
    ['changes of domains', String(tally.domainChanges)],
    ['wrong domains', count('domain-order')],
    ['visits checked', String(tally.visits)],
    ['doctor', `${result.doctorRuns} runs, ${count('doctor')} with findings`],
    ['most descriptors of a process', String(peaks.descriptors)],
    ['most memory of a process', `${(peaks.memoryBytes / MiB).toFixed(0)} MiB`],
    ['broken invariants', violations.any ? [...violations.counts.keys()].join(', ') : 'none'],
  ];
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}
