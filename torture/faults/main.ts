import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Invariant, Violation } from '../violations.ts';
import { DEFAULT_SECONDS, type Fault } from './fault.ts';
import { FAULTS } from './faults.ts';
import { copyTree, restore, seed } from './seeding.ts';

/** What a run with a seeded fault found. */
interface Trial {
  fault: Fault;
  found: Invariant[];
  message: string;
  seconds: number;
  seed: number;
}

const SEED = 7;

/** Seeds faults one at a time into a copy of the code, and runs the torture there. @returns 0 if every one is found. */
export async function tryFaults(names: readonly string[], print: (line: string) => void): Promise<number> {
  const unknown = names.find((name) => !FAULTS.some((fault) => fault.name === name));
  if (unknown !== undefined)
    throw new Error(`"${unknown}" is not a fault; use ${FAULTS.map(({ name }) => name).join(', ')}.`);
  const chosen = FAULTS.filter(({ name }) => names.length === 0 || names.includes(name));
  const copy = copyTree();
  const trials: Trial[] = [];
  try {
    for (const fault of chosen) {
      seed(copy.dir, fault.edits);
      const trial = await tryFault(copy.dir, fault);
      restore(copy.dir, fault.edits);
      trials.push(trial);
      print(
        `${isFound(trial) ? 'found ' : 'MISSED'}  ${fault.name}: ${trial.found.join(', ') || 'nothing'} after ${trial.seconds.toFixed(0)} s, load ${loadavg()[0]!.toFixed(1)}  ${trial.message.slice(0, 160)}`,
      );
    }
  } finally {
    copy.remove();
  }
  print(`\n${formatTrials(trials)}`);
  return trials.every(isFound) ? 0 : 1;
}

const isFound = ({ fault, found }: Trial) => found.some((invariant) => fault.breaks.includes(invariant));

async function tryFault(dir: string, fault: Fault): Promise<Trial> {
  const json = join(dir, 'result.json');
  const options = [
    '--seconds',
    String(fault.seconds ?? DEFAULT_SECONDS),
    '--seed',
    String(SEED),
    '--json',
    json,
    ...(fault.options ?? []),
  ];
  const only = fault.only.flatMap((kind) => ['--only', kind]);
  const startedAt = performance.now();
  rmSync(json, { force: true });
  const child = spawn(process.execPath, [join(dir, 'torture/main.ts'), ...options, ...only], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  const seconds = (performance.now() - startedAt) / 1_000;
  const { violations } = JSON.parse(readFileSync(json, 'utf8')) as { violations: Violation[] };
  const found = [...new Set(violations.map(({ invariant }) => invariant))];
  return { fault, found, message: violations[0]?.message ?? '', seconds, seed: SEED };
}

function formatTrials(trials: readonly Trial[]): string {
  const rows = trials.map((trial) => {
    const { fault, found, seconds } = trial;
    const result = isFound(trial) ? found.map((name) => `\`${name}\``).join(', ') : '**not found**';
    return `| \`${fault.name}\` | ${fault.what} | ${result} | ${seconds.toFixed(0)} s |`;
  });
  const foundCount = trials.filter(isFound).length;
  return [
    '| fault | what is wrong | broken invariant | found after |',
    '|---|---|---|---|',
    ...rows,
    '',
    `${foundCount} of ${trials.length} found.`,
  ].join('\n');
}
