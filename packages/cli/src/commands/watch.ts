import { abortedError, type WatchEvent, type WatchFolderInput, type WatchOptions } from '@berth/client';
import type { Command } from 'commander';
import { failureOf } from '../failure.ts';
import { beginWatchView, showWatchEvent } from '../render/watch-view.ts';
import { openSource } from '../project/open-project.ts';
import type { Session } from '../session.ts';
import { parseKeep } from '../values.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { deploymentRow } from './deployments.ts';
import { describeWarning, findFolderWarnings } from './warnings.ts';
import { addPublicationOptions, confirmPublication, type PublicationOptions, readPublication } from './publication.ts';

interface Options extends PublicationOptions {
  keep?: number;
}

export function addWatch(program: Command, context: CommandContext): void {
  const command = withExamples(program.command('watch'), {
    'berth watch ./dist --domain blog': 'publishes each build at a domain',
    'berth watch': 'watches the folder of berth.json',
  })
    .summary('publish a folder each time it changes')
    .description(
      'Publish a folder, and publish it again each time it has changed and is settled. A missing, empty or half-written folder is never published.',
    )
    .argument(
      '[folder]',
      'the folder of the built site, which may be deleted and created again; default: that of berth.json',
    );
  addPublicationOptions(command, 'each deployment')
    .option(
      '--keep <number>',
      'how many deployments of this watch to keep; older ones are deleted (default: 10)',
      parseKeep,
    )
    .option('--no-delta', 'send every file, even if the server has it')
    .action(
      inSession<[string?], Options>(context, async (ownSession, [typed], options) => {
        const { session, folder, project } = await openSource(ownSession, context.errorContext, typed, {
          mayBeMissing: true,
        });
        const { signal, cacheDir } = session;
        const domain = options.domain ?? project?.domain;
        const publication = await readPublication(session, folder, { ...options, domain }, project);
        const input = { ...publication, keep: options.keep };
        for (const warning of await findFolderWarnings(folder)) session.note(describeWarning(warning));
        await confirmPublication(session, input);
        await watch(session, input, { signal, cacheDir, delta: options.delta });
      }),
    );
}

async function watch(session: Session, input: WatchFolderInput, options: WatchOptions): Promise<void> {
  const { parts, terminal, json, quiet, printResult, signal } = session;
  const columns = json || quiet ? null : terminal.columns();
  let view = beginWatchView(performance.now());
  try {
    for await (const event of parts.watchFolder(input, options)) {
      if (event.type === 'failed' && isForbidden(event)) throw event.error;
      const frame = showWatchEvent(view, event, { at: performance.now(), columns });
      view = frame.view;
      if (!json && (!quiet || event.type === 'failed')) {
        terminal.err(frame.lines);
        if (!quiet) terminal.status(frame.status);
      }
      const row = json ? rowOf(event) : null;
      if (row) printResult(row, () => []);
      if (!json && event.type === 'published') {
        terminal.status('');
        printResult(null, () => [event.url]);
      }
    }
  } finally {
    terminal.status('');
  }
  if (signal.aborted) throw abortedError(signal.reason);
}

/** Returns true for a publish that another version of the folder cannot make possible. A reached cap is no such failure. */
function isForbidden({ during, error: { kind, details } }: WatchEvent & { type: 'failed' }): boolean {
  return during === 'publish' && kind === 'signed-out' && Object(details).cap === undefined;
}

/** Converts an event for `--json`; returns `null` for the progress of a deploy. */
function rowOf(event: WatchEvent) {
  switch (event.type) {
    case 'watching':
    case 'settling':
    case 'unchanged':
    case 'missing':
    case 'pruned':
    case 'polling':
      return event;
    case 'published':
      return { ...event, deployment: deploymentRow(event.deployment) };
    case 'failed': {
      const { exit: _, ...error } = failureOf(event.error, { server: null, key: null });
      return { ...event, error };
    }
    default:
      return null;
  }
}
