import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError, type DeployFolderInput, type DeployOptions, isHtmlFile } from '@berth/client';
import { count } from '@berth/client/amounts';
import { UsageError } from '@berth/terminal';
import { type Command, Option } from 'commander';
import { describePlan, describeSkipped } from '../render/deploy-view.ts';
import { openSource } from '../project/open-project.ts';
import type { Session } from '../session.ts';
import { findSimilarName, isForeignCommand, unknownCommandMessage } from '../suggestions.ts';
import { parseKeep, parseTtl } from '../values.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { publish } from './run-deploy.ts';
import { isArchive, publishArchive } from './publish-archive.ts';
import { describeWarning, findFolderWarnings } from './warnings.ts';
import { addPublicationOptions, confirmPublication, type PublishOptions, readPublication } from './publication.ts';

export function addPublish(program: Command, context: CommandContext): void {
  const command = withExamples(program.command('publish', { isDefault: true }), {
    'berth ./dist': 'publishes a folder',
    'berth page.html': 'publishes one HTML file as the front page of a site',
    'berth site.zip': 'publishes an archive: zip, tar, tar.gz or tar.zst',
    'tar -c . | berth -': 'publishes an archive from standard input',
    'berth ./dist --domain blog --label v1.2': 'publishes a folder at a domain',
    'berth ./dist --domain blog --keep 10': 'keeps the ten newest versions of the domain',
    'berth ./dist --password -': 'asks for a password for visitors',
    'URL=$(berth ./dist)': 'sets a shell variable to the link',
  })
    .summary('publish a folder; the word "publish" is optional')
    .description('Publish a folder or an archive, and print its link.')
    .argument(
      '[folder]',
      'the folder of the built site, one HTML file, an archive, or "-" for an archive from standard input; default: the folder of berth.json',
    );
  addPublicationOptions(command, 'the deployment')
    .addOption(
      new Option('-t, --ttl <time>', 'when the deployment expires, such as 3d').argParser(parseTtl).conflicts('domain'),
    )
    .option('--keep <number>', 'with --domain: how many versions to keep; older ones are deleted', parseKeep)
    .option('-n, --dry-run', 'show what would change, and send nothing')
    .option('--no-delta', 'send every file, even if the server has it')
    .option('--build', 'run the build command of berth.json first')
    .action(
      inSession<[string?], PublishOptions>(context, async (ownSession, [typed], options) => {
        if (typed !== undefined && isArchive(typed)) return publishArchive(ownSession, context, typed, options);
        const source = await openSource(ownSession, context.errorContext, typed, { build: options.build });
        const { session, folder, project } = source;
        await requireFolder(program, folder, typed === undefined || program.args[0] === 'publish');
        const { signal, cacheDir } = session;
        const domain = options.domain ?? (options.ttl === undefined ? project?.domain : undefined);
        const publication = await readPublication(session, folder, { ...options, domain }, project);
        const input = { ...publication, ttl: options.ttl, keep: options.keep };
        const engine: DeployOptions = { signal, cacheDir, delta: options.delta };
        const warnings = await findFolderWarnings(folder);
        warnings.forEach((warning) => session.note(describeWarning(warning)));
        if (options.dryRun) return dryRun(session, input, engine);
        await confirmPublication(session, input);
        await publish(session, session.parts.deployFolder(input, engine), warnings);
      }),
    );
}

/**
 * Checks that an argument is a folder or an HTML file. A word without a slash could be a mistyped command. Such a word counts as a folder only
 * if the folder has a front page and no comparable tool has a command of that name.
 *
 * @param isExplicit Whether the word `publish` was typed, as in `berth publish logs`.
 * @throws UsageError for a word that may be a command, ClientError `folder` for a path that is not a folder.
 */
export async function requireFolder(program: Command, folder: string, isExplicit: boolean): Promise<void> {
  const stats = await findStats(folder);
  const isFolder = stats?.isDirectory() === true;
  const isWord = !isExplicit && !/^\.|[/\\]/.test(folder);
  if (isWord && isForeignCommand(folder))
    throw new UsageError(unknownCommandMessage(folder, isFolder ? `Use berth ./${folder} to publish the folder` : ''));
  if (isFolder && isWord && (await findStats(join(folder, 'index.html')))?.isFile() !== true)
    throw new UsageError(`The folder "${folder}" has no index.html. Use berth ./${folder} to publish it anyway`);
  if (isFolder || (stats?.isFile() && isHtmlFile(folder))) return;
  if (stats)
    throw new ClientError(
      'folder',
      `${folder} is not an HTML file. Pass the folder that contains the built site, or an archive of it`,
    );
  const names = program.commands.map((command) => command.name());
  const suggestion = /^[a-z-]+$/i.test(folder) ? findSimilarName(folder, names) : null;
  if (suggestion === null) throw new ClientError('folder', `The folder ${folder} does not exist`);
  throw new UsageError(`There is neither a command nor a folder "${folder}". Did you mean berth ${suggestion}?`);
}

function findStats(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null);
}

const CHANGE_SIGNS = [
  ['added', '+'],
  ['changed', '~'],
  ['removed', '-'],
] as const;

/** How many changes a terminal shows. A script gets all of them. */
const MAX_SHOWN_CHANGES = 30;

async function dryRun(session: Session, input: DeployFolderInput, options: DeployOptions): Promise<void> {
  const { parts, printResult, note, terminal } = session;
  const { changes, total, missing, skipped, base } = await parts.planFolder(input, options);
  describeSkipped(skipped).forEach(note);
  const lines = CHANGE_SIGNS.flatMap(([kind, sign]) => changes[kind].map((path) => `${sign} ${path}`));
  const shown = terminal.resultColumns() === null ? lines.length : MAX_SHOWN_CHANGES;
  printResult({ changes, total, missing, skipped }, () => lines.slice(0, shown));
  if (lines.length > shown) note(`… and ${count(lines.length - shown, 'more change')}. To see all, add | less.`);
  const comparison = base === null ? '' : `Compared with ${base}: `;
  note(`${comparison}${describePlan(changes, missing, 'at most')} Nothing was sent.`);
}
