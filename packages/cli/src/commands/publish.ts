import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError, type DeployEvent, type DeployFolderInput, type DeployOptions } from '@berth/client';
import { moment } from '@berth/client/amounts';
import type { CreatedDeployment, Domain } from '@berth/contract';
import { UsageError } from '@berth/terminal';
import { type Command, Option } from 'commander';
import { beginView, describePlan, describeSkipped, showEvent } from '../render/deploy-view.ts';
import type { Session } from '../session.ts';
import { findSimilarName, isForeignCommand, unknownCommandMessage } from '../suggestions.ts';
import { parseTtl } from '../values.ts';
import { examples, inSession, type CommandContext } from './define.ts';
import { deploymentRow } from './deployments.ts';
import { addPublicationOptions, type PublicationOptions, readPublication } from './publication.ts';

interface Options extends PublicationOptions {
  ttl?: number;
  dryRun?: boolean;
}

/** Adds `berth ./dist`, the default command. */
export function addPublish(program: Command, context: CommandContext): void {
  const command = program
    .command('publish', { isDefault: true })
    .summary('publish a folder and print its link; the word "publish" is optional')
    .description('Publish a folder and print its link.')
    .argument('<folder>', 'the folder of the built site');
  addPublicationOptions(command, 'the deployment')
    .addOption(
      new Option('-t, --ttl <time>', 'when the deployment expires, such as 3d').argParser(parseTtl).conflicts('domain'),
    )
    .option('-n, --dry-run', 'show what would be sent, and send nothing')
    .option('--no-delta', 'send every file, even if the server has it')
    .addHelpText(
      'after',
      examples(
        ['berth ./dist', 'publishes a folder'],
        ['berth ./dist --domain blog --label v1.2', 'publishes it at a domain'],
        ['berth ./dist --password -', 'asks for a password for visitors'],
        ['URL=$(berth ./dist)', 'standard output contains only the link'],
      ),
    )
    .action(
      inSession<[string], Options>(context, async (session, [folder], options) => {
        await requireFolder(program, folder, program.args[0] === 'publish');
        const { signal, cacheDir } = session;
        const input = { ...(await readPublication(session, folder, options)), ttl: options.ttl };
        const engine: DeployOptions = { signal, cacheDir, delta: options.delta };
        await (options.dryRun ? dryRun : publish)(session, input, engine);
      }),
    );
}

/**
 * Checks that an argument is a folder, and is meant as one. A word without a slash could also be a command. It counts as a
 * folder only if the folder has a front page and no comparable tool has a command of that name.
 *
 * @param isExplicit Whether the command was named, as in `berth publish logs`.
 * @throws UsageError for a word that may be a command, ClientError `folder` for a path that is not a folder.
 */
async function requireFolder(program: Command, folder: string, isExplicit: boolean): Promise<void> {
  const found = await stat(folder).catch(() => null);
  const isFolder = found?.isDirectory() === true;
  const isWord = !isExplicit && !/^\.|[/\\]/.test(folder);
  if (isWord && isForeignCommand(folder))
    throw new UsageError(unknownCommandMessage(folder, isFolder ? `Use berth ./${folder} to publish the folder` : ''));
  if (isFolder && isWord && !(await isFile(join(folder, 'index.html'))))
    throw new UsageError(`The folder "${folder}" has no index.html. Use berth ./${folder} to publish it anyway`);
  if (isFolder) return;
  if (found) throw new ClientError('folder', `${folder} is a file. Pass the folder that contains the built site`);
  const names = program.commands.map((command) => command.name());
  const suggestion = /^[a-z-]+$/i.test(folder) ? findSimilarName(folder, names) : null;
  if (suggestion === null) throw new ClientError('folder', `The folder ${folder} does not exist`);
  throw new UsageError(`There is neither a command nor a folder "${folder}". Did you mean berth ${suggestion}?`);
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

const SIGNS = { added: '+', changed: '~', removed: '-' } as const;
const KINDS = ['added', 'changed', 'removed'] as const;

async function dryRun(session: Session, input: DeployFolderInput, options: DeployOptions): Promise<void> {
  const { parts, printResult, note } = session;
  const planned = await parts.planFolder(input, options);
  const { changes, total, missing, skipped } = planned;
  describeSkipped(skipped).forEach(note);
  printResult({ changes, total, missing, skipped }, () =>
    KINDS.flatMap((kind) => changes[kind].map((path) => `${SIGNS[kind]} ${path}`)),
  );
  note(`${describePlan(changes, missing)} Nothing was sent.`);
}

interface DeployResult {
  deployment: CreatedDeployment | null;
  domain: Domain | null;
  plan: Extract<DeployEvent, { type: 'planned' }> | null;
  sentBytes: number;
  skipped: Extract<DeployEvent, { type: 'walked' }>['skipped'];
}

async function publish(session: Session, input: DeployFolderInput, options: DeployOptions): Promise<void> {
  const { parts, terminal, json, quiet, note } = session;
  const isSilent = json || quiet;
  const columns = isSilent ? null : terminal.columns();
  const result: DeployResult = { deployment: null, domain: null, plan: null, sentBytes: 0, skipped: [] };
  let view = beginView(performance.now());
  try {
    for await (const event of parts.deployFolder(input, options)) {
      collectEvent(result, event);
      const frame = showEvent(view, event, { at: performance.now(), columns });
      view = frame.view;
      if (isSilent) continue;
      terminal.err(frame.lines);
      terminal.status(frame.status);
    }
  } catch (error) {
    if (result.deployment) note(`The deployment is live at ${result.deployment.url}`);
    throw error;
  } finally {
    terminal.status('');
  }
  printDeployResult(session, result);
}

function collectEvent(result: DeployResult, event: DeployEvent): void {
  switch (event.type) {
    case 'walked':
      result.skipped = event.skipped;
      return;
    case 'planned':
      result.plan = event;
      return;
    case 'uploaded':
      result.sentBytes = event.sentBytes;
      return;
    case 'committed':
      result.deployment = event.deployment;
      return;
    case 'linked':
      result.domain = event.domain;
      return;
    case 'hashed':
    case 'retried':
      return;
    default:
      event satisfies never;
  }
}

function printDeployResult(session: Session, { deployment, domain, plan, sentBytes, skipped }: DeployResult): void {
  if (!deployment) throw new ClientError('server', 'The server did not confirm the deployment');
  const { note, printResult, json, terminal } = session;
  const { claim = null, warnings = [], expires = null } = deployment;
  for (const { file, line, message } of warnings)
    note([{ colour: 'yellow', text: `Warning: ${file}${line === undefined ? '' : `:${line}`}: ${message}` }]);
  // The claim link is shown only this once, so print it even with `--quiet`. Without it the site would be lost.
  if (claim !== null && !json)
    terminal.err([
      `The deployment expires at ${moment(expires)}, unless an account claims it:`,
      ['  ', { colour: 'cyan', text: claim }],
    ]);
  else if (expires !== null) note(`The deployment expires at ${moment(expires)}.`);
  if (domain !== null && domain.status !== 'success')
    note(`${domain.domain} needs DNS records before it shows the site: berth domains records ${domain.domain}`);
  const url = domain?.status === 'success' ? domain.url : deployment.url;
  const changes = plan?.changes ?? { added: [], changed: [], removed: [], unchanged: 0 };
  printResult(
    {
      url,
      deployment: deploymentRow(deployment),
      domain,
      claim,
      warnings: warnings.map(({ file, line = null, at = null, message }) => ({ file, line, at, message })),
      changes: {
        added: changes.added.length,
        changed: changes.changed.length,
        removed: changes.removed.length,
        unchanged: changes.unchanged,
      },
      sent: { via: plan?.via ?? null, files: plan?.missing.files ?? 0, bytes: sentBytes },
      skipped,
    },
    () => [url],
  );
}
