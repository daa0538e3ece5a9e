// Disturbs a real server at random and checks every invariant: `npm run torture -- --help`.
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import bundleServer from '@berth/testing/bundled-server';
import { DISTURBANCES } from './plan.ts';
import { formatResult } from './report.ts';
import { run } from './run.ts';
import { readCommand, type Settings, USAGE } from './settings.ts';
import { INVARIANTS } from './violations.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);

async function torture(settings: Settings): Promise<number> {
  print(
    `Seed ${settings.seed}, ${settings.seconds} s, ${settings.nodes} nodes with ${settings.workers} workers, packs on ${settings.storage}, load ${loadavg()[0]!.toFixed(1)}`,
  );
  await bundleServer();
  const result = await run(settings, print);
  print(`\n${formatResult(result)}`);
  if (settings.json !== null)
    writeFileSync(
      settings.json,
      JSON.stringify(
        { ...result, resources: result.resources.peaks, jobs: undefined, violations: result.violations.found },
        null,
        2,
      ),
    );
  if (!result.violations.any) return 0;
  process.stderr.write(
    `Broken: ${[...result.violations.counts.keys()].join(', ')}. Repeat with --seed ${settings.seed}.\n`,
  );
  return 1;
}

async function main(): Promise<number> {
  const command = readCommand(process.argv.slice(2));
  switch (command.kind) {
    case 'help':
      print(USAGE);
      return 0;
    case 'list':
      for (const { kind } of DISTURBANCES) print(kind);
      for (const [name, text] of Object.entries(INVARIANTS)) print(`${name}: ${text}`);
      return 0;
    case 'faults':
      return (await import('./faults/main.ts')).tryFaults(command.names, print);
    case 'run':
      return torture(command.settings);
    default:
      return command satisfies never;
  }
}

process.exitCode = await main();
