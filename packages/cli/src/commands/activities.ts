import { followActivities } from '@berth/client';
import { activityText, actorOf } from '@berth/client/activity-text';
import { moment } from '@berth/client/amounts';
import type { Activity } from '@berth/contract';
import type { Command } from 'commander';
import { parseLimit } from '../values.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { MORE_ROWS_NOTE, readPages } from './list.ts';

interface Options {
  limit: number;
  follow?: boolean;
  event?: string;
  authMethod?: string;
}

export function addActivities(program: Command, context: CommandContext): void {
  withExamples(program.command('activities'), {
    'berth activities --event domain,token.create': 'shows only what happened to domains, and new tokens',
    'berth activities --follow --json': 'sends activities to a program',
  })
    .summary('show the activities of the account')
    .description('Show the activities of the account, oldest first.')
    .option('--limit <number>', 'how many of the newest activities to show, or "all"', parseLimit, 20)
    .option('--event <names>', 'only these events or groups of events, separated by commas')
    .option('--auth-method <cause>', 'only what this caused, such as "api-key" or "session"')
    .option('-f, --follow', 'then show new activities as they happen; with --json, one object per line')
    .action(
      inSession<[], Options>(context, async ({ client, printResult, note, signal }, _, options) => {
        const { limit, follow, ...filter } = options;
        if (follow) {
          for await (const activity of followActivities(client, signal, { filter, last: limit }))
            printResult(activityRow(activity), () => [lineOf(activity)]);
          return;
        }
        const { rows, more } = await readPages(
          limit,
          (query) => client.api.activities.list.query({ ...query, ...filter }),
          (page) => page.activities,
        );
        const pastRows = rows.toReversed();
        printResult({ activities: pastRows.map(activityRow), more }, () => pastRows.map(lineOf));
        if (more) note(MORE_ROWS_NOTE);
      }),
    );
}

/** Converts an activity to the stable shape of `--json`. */
function activityRow(activity: Activity) {
  const { event, created, deployment = null, domain = null, token = null, authMethod, meta } = activity;
  return { event, created, deployment, domain, token, authMethod, meta };
}

/** Describes an activity in one line, such as `2026-11-24 20:15  Deleted blog.localhost (operator)`. */
function lineOf(activity: Activity): string {
  const actor = actorOf(activity);
  return `${moment(activity.created)}  ${activityText(activity)}${actor ? ` (${actor})` : ''}`;
}
