import { DEFAULT_SWEEP, doctor, type DoctorEvent } from '@berth/core';
import { type Command, JSON_OPTION, printJson, type Session } from './command.ts';

type Found = Omit<Extract<DoctorEvent, { kind: 'finding' }>, 'kind'>;

const MiB = 1024 ** 2;
const PROGRESS_MS = 100;

const examine: Command = {
  name: 'doctor',
  summary: 'Read everything that is stored again, and say what is wrong.',
  details: [
    'Hashes every content, follows every file of every deployment to its bytes, recounts, and looks at the configuration.',
    'Servers may run meanwhile. "damage" is lost bytes, "drift" is out of step, "advice" could be better; the first two',
    'make it end with 1.',
  ],
  options: {
    fix: { help: 'Mend what loses nothing: counters, overdue cleaning, pack files that no row knows.' },
    ...JSON_OPTION,
  },
  examples: ['doctor', 'doctor --fix', 'doctor --json'],
  async run(session, input) {
    const { core, config } = session;
    const json = input.has('json');
    const findings: Found[] = [];
    const tell = json ? () => {} : teller(session);
    for await (const event of doctor(core, {
      fix: input.has('fix'),
      graceMs: config.sweep.graceMs ?? DEFAULT_SWEEP.graceMs,
      apiHost: config.apiHost,
    })) {
      tell(event);
      if (event.kind !== 'finding') continue;
      const { kind: _, ...found } = event;
      findings.push(found);
    }
    const sound = findings.every(({ severity, fixed }) => severity === 'advice' || fixed);
    if (json) printJson(session, { sound, findings });
    else session.print(`\n${summary(findings)}`);
    return sound;
  },
};

/** Prints events as they come: a line a check, and below it what was found. */
function teller({ print, progress }: Session): (event: DoctorEvent) => void {
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
        print(`  ${event.fixed ? 'mended' : event.severity}: ${event.message}`);
        if (event.severity === 'damage' && event.deployments?.length)
          print(`    It hurts ${event.deployments.join(', ')}.`);
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
    [count(({ fixed }) => fixed), 'mended'],
  ] as const;
  const found = counts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return found.length === 0 ? 'All is well.' : `Found: ${found.join(', ')}.`;
}

export const doctorCommands: readonly Command[] = [examine];
