import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ClientError } from '@berth/client';
import type { Command } from 'commander';
import { type BuildPlan, detectBuild, exists } from '@berth/client/project';
import { findHostSettings } from '../project/other-hosts.ts';
import { parseProject, type Project, PROJECT_FILE } from '../project/project-file.ts';
import type { Session } from '../session.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';

interface Options {
  folder?: string;
  domain?: string;
  build?: string;
}

export function addInit(program: Command, context: CommandContext): void {
  withExamples(program.command('init'), {
    'berth init': 'finds out how the project is built, and writes berth.json',
    'berth init --folder public --domain blog': 'sets the folder and the domain',
  })
    .summary('write berth.json, so that "berth" alone publishes')
    .description(
      'Find out which framework a project uses, or which other host it was set up for, and write berth.json with the folder of the built site and the build command. Then "berth" and "berth watch" need no folder.',
    )
    .option('--folder <path>', 'the folder of the built site')
    .option('-d, --domain <name>', 'the domain at which to publish')
    .option('--build <command>', 'the command that builds the site')
    .action(inSession<[], Options>(context, async (session, _, options) => init(session, options)));
}

async function init(session: Session, options: Options): Promise<void> {
  await confirmOverwriting(session);
  const plan = await detectBuild('.');
  const host = await findHostSettings('.');
  const folder = options.folder ?? host?.folder ?? plan.folder;
  const build = options.build ?? host?.build ?? plan.build;
  const fields = { folder, ...(options.domain && { domain: options.domain }), ...(build && { build }) };
  const text = `${JSON.stringify(fields, null, 2)}\n`;
  const project = parseProject(text);
  await writeFile(PROJECT_FILE, text);
  const source = host === null ? plan.framework : host.file;
  session.printResult(
    { file: resolve(PROJECT_FILE), framework: plan.framework, convertedFrom: host?.file ?? null, ...rowOf(project) },
    () => text.trimEnd().split('\n'),
  );
  session.note(`Wrote ${PROJECT_FILE}, for ${source}. ${nextStepOf(plan, project)}`);
}

/** @throws ClientError `refused` without a terminal and `--yes` if the file exists; Declined. */
async function confirmOverwriting({ asks, yes, confirm }: Session): Promise<void> {
  if (!(await exists(PROJECT_FILE))) return;
  if (!asks && !yes) throw new ClientError('refused', `${PROJECT_FILE} exists already. To replace it, add --yes`);
  await confirm(`${PROJECT_FILE} exists already. Replace it?`);
}

/** Converts a project to the stable shape of `--json`. */
function rowOf({ folder, domain, build }: Project) {
  return { folder, domain: domain ?? null, build: build ?? null };
}

function nextStepOf({ advice }: BuildPlan, { build }: Project): string {
  if (advice !== null) return advice;
  return build === undefined ? 'To publish: berth' : 'To build and publish: berth --build';
}
