import { DEFAULT_SWEEP } from '@berth/core/jobs';
import { doctor, type DoctorEvent } from '@berth/core/operator';
import type { Command } from 'commander';
import { examples, formatJson, JSON_OPTION, type JsonOption, type OpenSession, type Session } from './session.ts';

type Finding = Omit<Extract<DoctorEvent, { kind: 'finding' }>, 'kind'>;

const MiB = 1024 ** 2;
const PROGRESS_MS = 100;

export function addDoctor(program: Command, open: OpenSession): void {
  program
    .command('doctor')
    .summary('Check everything that is stored, and report problems.')
    .description(
      'Check everything that is stored, and report problems. Hashes every content, checks that every file of every ' +
        'deployment has its bytes, recounts, and checks the configuration. Safe to use while servers are running. ' +
        '"damage" means lost bytes, "drift" inconsistent records, "advice" a possible improvement. ' +
        'Damage and drift result in exit code 1.',
    )
    .option('--fix', 'fix what can be fixed without loss: counters, overdue cleanup, pack files without a row')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('doctor', 'doctor --fix', 'doctor --json'))
    .action(async ({ fix = false, json }: JsonOption & { fix?: boolean }) => {
      const session = await open();
      const { core, config, print, fail } = session;
      const findings: Finding[] = [];
      const report = json ? () => {} : createReporter(session);
      const graceMs = config.sweep.graceMs ?? DEFAULT_SWEEP.graceMs;
      for await (const event of doctor(core, { fix, graceMs, apiHost: config.apiHost })) {
        report(event);
        if (event.kind !== 'finding') continue;
        const { kind: _, ...finding } = event;
        findings.push(finding);
      }
      const sound = findings.every(({ severity, fixed }) => severity === 'advice' || fixed);
      print(json ? formatJson({ sound, findings }) : `\n${summary(findings)}`);
      if (!sound) fail();
    });
}

/** Prints events as they arrive: a line for each check, followed by its findings. */
function createReporter({ print, progress }: Session): (event: DoctorEvent) => void {
  let shownAt = 0;
  return (event) => {
    switch (event.kind) {
      case 'check':
        progress('');
        print(event.title);
        return;
      case 'note':
        print(`  ${event.message}`);
        return;
      case 'progress':
        if (performance.now() - shownAt < PROGRESS_MS) return;
        shownAt = performance.now();
        progress(`  ${amount(event.done, event.unit)} of ${amount(event.total, event.unit)}`);
        return;
      case 'finding':
        progress('');
        print(`  ${event.fixed ? 'fixed' : event.severity}: ${event.message}`);
        if (event.severity === 'damage' && event.deployments?.length)
          print(`    Affected deployments: ${event.deployments.join(', ')}.`);
        return;
      default:
        event satisfies never;
    }
  };
}

function amount(count: number, unit: 'bytes' | 'deployments'): string {
  return unit === 'bytes' ? `${(count / MiB).toFixed(0)} MiB` : `${count} deployments`;
}

function summary(findings: readonly Finding[]): string {
  const groups = Object.groupBy(findings, ({ severity, fixed }) => (fixed ? 'fixed' : severity));
  const findingCounts = (['damage', 'drift', 'advice', 'fixed'] as const).flatMap((kind) =>
    groups[kind] ? `${groups[kind].length} ${kind}` : [],
  );
  return findingCounts.length === 0 ? 'No problems found.' : `Found: ${findingCounts.join(', ')}.`;
}
