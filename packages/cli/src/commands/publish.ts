import { ClientError, type DeployEvent, type DeployFolderInput, type DeployOptions } from '@berth/client';
import { moment } from '@berth/client/amounts';
import type { CreatedDeployment, Domain } from '@berth/contract';
import { type Command, Option } from 'commander';
import { beginView, showEvent } from '../render/deploy-view.ts';
import type { Session } from '../session.ts';
import { collect, parseSite, parseTtl } from '../values.ts';
import { examples, inSession, type CommandContext } from './define.ts';
import { deploymentRow } from './deployments.ts';
import { dryRun } from './dry-run.ts';
import { requireFolder } from './folder-argument.ts';
import { readPassword } from './password.ts';

interface Options {
  domain?: string;
  label?: string[];
  password?: string | false;
  ttl?: number;
  dryRun?: boolean;
  delta: boolean;
}

/** Adds `berth ./dist`, the default command. */
export function addPublish(program: Command, context: CommandContext): void {
  program
    .command('publish', { isDefault: true })
    .summary('publish a folder and print its link; the word "publish" is optional')
    .description('Publish a folder and print its link.')
    .argument('<folder>', 'the folder of the built site')
    .option('-d, --domain <name>', 'the domain to point at the deployment')
    .option('-l, --label <label>', 'a label; may be repeated', collect)
    .option('-p, --password <password>', 'the password for visitors; "-" asks for it [env: BERTH_PASSWORD]')
    .option('--no-password', 'publish without a password, even if the previous version has one')
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
        const { client, signal, cacheDir } = session;
        const input: DeployFolderInput = {
          folder,
          client,
          via: 'cli',
          labels: options.label,
          password: await readPassword(session, options.password),
          ttl: options.ttl,
          domain: options.domain && parseSite(options.domain),
        };
        const engine: DeployOptions = { signal, cacheDir, delta: options.delta };
        await (options.dryRun ? dryRun : publish)(session, input, engine);
      }),
    );
}

/** The result of a deploy, collected from its events. */
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
