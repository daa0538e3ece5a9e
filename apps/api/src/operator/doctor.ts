import { DEFAULT_SWEEP } from '@berth/core/jobs';
import { doctor, type DoctorEvent } from '@berth/core/operator';
import type { Command } from 'commander';
import { examples, formatJson, JSON_OPTION, type JsonOption, type OpenSession, type Session } from './session.ts';

type Found = Omit<Extract<DoctorEvent, { kind: 'finding' }>, 'kind'>;

const MiB = 1024 ** 2;
const PROGRESS_MS = 100;

/** Adds the command `doctor`. */
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
      const findings: Found[] = [];
      const report = json ? () => {} : createReporter(session);
      const graceMs = config.sweep.graceMs ?? DEFAULT_SWEEP.graceMs;
      for await (const event of doctor(core, { fix, graceMs, apiHost: config.apiHost })) {
        report(event);
        if (event.kind !== 'finding') continue;
        const { kind: _, ...found } = event;
        findings.push(found);
      }
      const sound = findings.every(({ severity, fixed }) => severity === 'advice' || fixed);
      print(json ? formatJson({ sound, findings }) : `\n${summary(findings)}`);
      if (!sound) fail();
    });
}

/** Prints events as they arrive: a line per check, and its findings below. */
function createReporter({ print, progress }: Session): (event: DoctorEvent) => void {
  let shown = 0;
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
        if (performance.now() - shown < PROGRESS_MS) return;
        shown = performance.now();
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

function summary(findings: readonly Found[]): string {
  const count = (wanted: (finding: Found) => boolean) => findings.filter(wanted).length;
  const counts = [
    [count(({ severity, fixed }) => severity === 'damage' && !fixed), 'damage'],
    [count(({ severity, fixed }) => severity === 'drift' && !fixed), 'drift'],
    [count(({ severity, fixed }) => severity === 'advice' && !fixed), 'advice'],
    [count(({ fixed }) => fixed), 'fixed'],
  ] as const;
  const found = counts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return found.length === 0 ? 'No problems found.' : `Found: ${found.join(', ')}.`;
}
