import { followActivities } from '@berth/client';
import { moment } from '@berth/client/amounts';
import type { Activity } from '@berth/contract';
import { columns } from '@berth/terminal';
import type { Command } from 'commander';
import { parseLimit } from '../values.ts';
import { examples, inSession, type CommandContext } from './define.ts';
import { MORE_ROWS_NOTE, readPages } from './pages.ts';

interface Options {
  limit: number;
  follow?: boolean;
}

/** Adds `berth activities`: the activities of the account. */
export function addActivities(program: Command, context: CommandContext): void {
  program
    .command('activities')
    .summary('show the activities of the account')
    .description('Show the activities of the account, oldest first.')
    .option('--limit <number>', 'how many of the newest to show, or "all"', parseLimit, 20)
    .option('-f, --follow', 'then show new activities as they happen; with --json, one object per line')
    .addHelpText('after', examples(['berth activities --follow --json', 'sends activities to a program']))
    .action(
      inSession<[], Options>(context, async ({ client, printResult, note, signal }, _, { limit, follow }) => {
        if (follow) {
          for await (const activity of followActivities(client, signal, { last: limit }))
            printResult(activityRow(activity), () => columns([toCells(activity)]));
          return;
        }
        const { rows, more } = await readPages(
          limit,
          (query) => client.api.activities.list.query(query),
          (page) => page.activities,
        );
        const past = rows.toReversed();
        printResult({ activities: past.map(activityRow), more }, () => columns(past.map(toCells)));
        if (more) note(MORE_ROWS_NOTE);
      }),
    );
}

/** An activity in the stable shape of `--json`. */
function activityRow({ event, created, deployment, domain, token, authMethod, meta }: Activity) {
  return {
    event,
    created,
    deployment: deployment ?? null,
    domain: domain ?? null,
    token: token ?? null,
    authMethod,
    meta,
  };
}

function toCells({ created, event, deployment, domain, token, authMethod }: Activity): string[] {
  const about = [deployment, domain, token].filter((name) => name !== undefined);
  return [moment(created), event.padEnd(EVENT_COLUMNS), authMethod.padEnd(AUTH_COLUMNS), about.join(' ')];
}

/** Fixed widths, so that lines printed one by one align like those printed together. */
const EVENT_COLUMNS = 23;
const AUTH_COLUMNS = 12;
