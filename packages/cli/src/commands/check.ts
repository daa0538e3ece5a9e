import { count } from '@berth/client/amounts';
import { wrap } from '@berth/terminal';
import type { Command } from 'commander';
import type { Check } from '../checks/check.ts';
import { checkKey } from '../checks/key-checks.ts';
import { checkServer } from '../checks/server-checks.ts';
import { checkSites } from '../checks/site-checks.ts';
import { ChecksFailed } from '../failure.ts';
import type { Session } from '../session.ts';
import type { Line } from '../terminal.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import manifest from '../../package.json' with { type: 'json' };

export function addCheck(program: Command, context: CommandContext): void {
  withExamples(program.command('check'), {
    'berth check': 'checks the server and the key that berth uses',
    'berth check --server https://api.example.com': 'checks another server',
  })
    .summary('find out why something does not work')
    .description(
      'Check the server, its version and clock, the key and what it is allowed to do, and whether the addresses of sites lead to the server. For each problem, print what to do.',
    )
    .action(
      inSession<[]>(context, async (session) => {
        const checks = await runChecks(session);
        session.printResult({ server: session.server.server.origin, checks: checks.map(checkRow) }, () =>
          checks.flatMap(describe),
        );
        const failures = checks.filter(({ error }) => error !== null);
        const [first] = failures;
        if (first) throw new ChecksFailed(first.error!.kind, `${count(failures.length, 'check')} failed`);
      }),
    );
}

async function runChecks(session: Session): Promise<Check[]> {
  const program: Check = {
    name: 'berth',
    status: 'ok',
    message: `${manifest.version}, on Node ${process.versions.node}`,
    next: null,
    error: null,
  };
  const server = await checkServer(session);
  if (server[0]?.status === 'failed') return [program, ...server];
  const key = await checkKey(session);
  if (key[0]?.status === 'failed') return [program, ...server, ...key];
  return [program, ...server, ...key, ...(await checkSites(session))];
}

/** Converts a check to the stable shape of `--json`. */
function checkRow({ name, status, message, next }: Check) {
  return { name, status, message, next };
}

const STATUS_COLUMNS = 'warning'.length + 2;
const NAME_COLUMNS = 'version'.length + 2;
const TEXT_COLUMNS = 80 - STATUS_COLUMNS - NAME_COLUMNS - 1;
const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

/** Returns the lines that show a check, in at most 80 columns. */
function describe({ name, status, message, next }: Check): Line[] {
  const indent = ' '.repeat(STATUS_COLUMNS + NAME_COLUMNS);
  const [first, ...rest] = wrap(message, TEXT_COLUMNS);
  const nextLines = next === null ? [] : wrap(next, TEXT_COLUMNS);
  return [
    [{ colour: COLOURS[status], text: status.padEnd(STATUS_COLUMNS) }, name.padEnd(NAME_COLUMNS) + first],
    ...rest.map((text) => indent + text),
    ...nextLines.map((text): Line => [indent, { colour: 'dim', text }]),
  ];
}
