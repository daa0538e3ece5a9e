import { parseArgs } from 'node:util';

/** The settings of one run. */
export interface Settings {
  /** How long disturbances go on, in seconds. */
  seconds: number;
  /** After how many disturbances the run ends, even if the time is not up; infinite by default. */
  rounds: number;
  seed: number;
  /** The kinds of disturbances; empty for all. */
  only: readonly string[];
  /** The number of servers on one database and one object store. */
  nodes: number;
  /** The number of workers of each server. */
  workers: number;
  /** Where packs are stored. Several nodes need `s3`. */
  storage: 'disk' | 's3';
  /** An external database; `null` for one that the run starts and kills. */
  databaseUrl: string | null;
  /** The number of sockets of a flood of slow clients. */
  sockets: number;
  /** The number of simultaneous deploys of a flood. */
  uploads: number;
  /** Whether the run ends at the first violation. */
  stopEarly: boolean;
  /** The file that receives the result as JSON; `null` for none. */
  json: string | null;
}

export const USAGE = `Usage: npm run torture -- [options]

  --minutes N        how long to disturb (default 3)
  --hours N
  --seconds N
  --rounds N         stop after this number of disturbances
  --seed N           repeat the plan of an earlier run
  --only KIND        only these kinds of disturbances (repeatable)
  --workers N        the number of workers of each node (default 2; 1 with several nodes)
  --nodes N          the number of nodes, on one database and one object store (default 1)
  --storage WHERE    where packs are stored: disk or s3 (default disk); several nodes need s3
  --database-url URL an external PostgreSQL, which is not killed
  --sockets N        slow sockets of one flood (default 10000)
  --uploads N        simultaneous deploys of one flood (default 1000)
  --keep-going       continue after a violation
  --json FILE        write the result to a file
  --faults [NAME]    seed each fault into a copy of the code instead, and report whether it is found
  --list             list the kinds of disturbances and the invariants`;

const OPTIONS = {
  seconds: { type: 'string' },
  minutes: { type: 'string' },
  hours: { type: 'string' },
  rounds: { type: 'string' },
  seed: { type: 'string' },
  only: { type: 'string', multiple: true },
  workers: { type: 'string' },
  nodes: { type: 'string', default: '1' },
  storage: { type: 'string', default: 'disk' },
  'database-url': { type: 'string' },
  sockets: { type: 'string', default: '10000' },
  uploads: { type: 'string', default: '1000' },
  'keep-going': { type: 'boolean', default: false },
  json: { type: 'string' },
  faults: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** What a command line asks for. `names` are the seeded faults to try; empty for all. */
export type Command =
  | { kind: 'run'; settings: Settings }
  | { kind: 'faults'; names: readonly string[] }
  | { kind: 'list' }
  | { kind: 'help' };

const DEFAULT_SECONDS = 180;

/** Reads a command line. @throws Error that says what must be true. */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (values.help) return { kind: 'help' };
  if (values.list) return { kind: 'list' };
  if (values.faults) return { kind: 'faults', names: positionals };
  if (positionals.length > 0) throw new Error(`"${positionals[0]}" is not an option.`);
  const number = (
    name: 'seconds' | 'minutes' | 'hours' | 'rounds' | 'seed' | 'workers' | 'nodes' | 'sockets' | 'uploads',
  ) => {
    const text = values[name];
    if (text === undefined) return null;
    const value = Number(text);
    if (!(value >= 0)) throw new Error(`--${name} must be a number that is not negative.`);
    return value;
  };
  const { storage } = values;
  const nodes = Math.max(1, number('nodes')!);
  if (storage !== 'disk' && storage !== 's3') throw new Error('--storage must be disk or s3.');
  if (nodes > 1 && storage === 'disk') throw new Error('--nodes above 1 needs --storage s3.');
  const given = [number('seconds'), scaled(number('minutes'), 60), scaled(number('hours'), 3_600)];
  const settings: Settings = {
    seconds: given.find((value) => value !== null) ?? DEFAULT_SECONDS,
    rounds: number('rounds') ?? Infinity,
    seed: number('seed') ?? Date.now() % 1_000_000,
    only: values.only ?? [],
    nodes,
    workers: Math.max(1, number('workers') ?? (nodes > 1 ? 1 : 2)),
    storage,
    databaseUrl: values['database-url'] ?? null,
    sockets: number('sockets')!,
    uploads: number('uploads')!,
    stopEarly: !values['keep-going'],
    json: values.json ?? null,
  };
  return { kind: 'run', settings };
}

const scaled = (value: number | null, factor: number) => (value === null ? null : value * factor);
