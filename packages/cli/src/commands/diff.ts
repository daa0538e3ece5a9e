import { type FolderFile, findLastDeploymentId, type ReadFolder, readFolder } from '@berth/client';
import { bytes } from '@berth/client/amounts';
import type { Deployment } from '@berth/contract';
import { columns, UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import { compareFiles, type Difference } from '../diff/compare.ts';
import { type FileChange, patchFile } from '../diff/patch.ts';
import { openProject, openSource } from '../project/open-project.ts';
import { ignoredPatterns } from '../project/project-file.ts';
import type { Session } from '../session.ts';
import type { Line } from '../terminal.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { findDeployment } from './find-deployment.ts';
import { readPages } from './list.ts';
import { requireFolder } from './publish.ts';

export function addDiff(program: Command, context: CommandContext): void {
  withExamples(program.command('diff'), {
    'berth diff ./dist blog': 'compares a folder with what blog.<platform domain> shows',
    'berth diff ./dist blog --patch': 'also shows how the text of the files differs',
    'berth diff': 'compares the folder and the domain of berth.json',
  })
    .summary('compare a folder with what is live')
    .description('List what publishing a folder would change: files that are added (+), changed (~) and removed (-).')
    .argument('[folder]', 'the folder of the built site, or one HTML file; default: that of berth.json')
    .argument(
      '[site]',
      'a domain or a deployment; default: the domain of berth.json, or what this machine published last from the folder',
    )
    .option('--patch', 'also show how the text of the files differs, as a unified diff')
    .action(
      inSession<[string?, string?], { patch?: boolean }>(context, async (ownSession, [typed, site], { patch }) => {
        if (patch && ownSession.json) throw new UsageError('--patch prints text. Omit it, or --json');
        const source = await openSource(ownSession, context.errorContext, typed);
        const opened =
          source.project === null && site === undefined ? await openProject(ownSession, context.errorContext) : source;
        const { session } = opened;
        await requireFolder(program, source.folder, true);
        const deployment = await findLive(session, source.folder, site ?? opened.project?.domain);
        const folder = await readLocal(session, source.folder, ignoredPatterns(source.project));
        const difference = compareFiles(await readLive(session, deployment), folder.files);
        await printDifference(session, difference, deployment, patch ? folder : null);
      }),
    );
}

/** Returns the deployment to compare with. @throws UsageError if nothing says which; ClientError. */
async function findLive(session: Session, folder: string, site: string | undefined): Promise<Deployment> {
  const { client, cacheDir } = session;
  const get = (deployment: string) => client.api.deployments.get.query({ deployment });
  if (site === undefined) {
    const last = findLastDeploymentId({ client, folder }, { cacheDir });
    if (last !== null) return get(last);
    throw new UsageError(
      `There is nothing to compare with. Name a domain or a deployment, as in "berth diff ${folder} blog"`,
    );
  }
  return findDeployment(session, site);
}

async function readLocal(session: Session, path: string, ignore: readonly string[] | undefined): Promise<ReadFolder> {
  const { cacheDir, signal } = session;
  const events = readFolder(path, { cacheDir, ignore, signal });
  for (;;) {
    const { done, value } = await events.next();
    if (done) return value;
  }
}

async function readLive({ client }: Session, { deployment }: Deployment): Promise<FolderFile[]> {
  const { rows } = await readPages(
    Infinity,
    (query) => client.api.deployments.files.query({ deployment, ...query }),
    (page) => page.files,
  );
  return rows;
}

/** @param folder The folder whose text to compare; `null` to list the files only. */
async function printDifference(
  session: Session,
  difference: Difference,
  { deployment, url }: Deployment,
  folder: ReadFolder | null,
): Promise<void> {
  const { terminal, signal, printResult, note } = session;
  if (folder === null) printResult({ deployment, ...differenceRow(difference) }, () => describe(difference));
  else for (const change of changesOf(difference)) terminal.out(await patchFile(change, url, folder, signal));
  note(summaryOf(difference));
  note([{ colour: 'dim', text: `Compared with ${url}` }]);
}

/** Returns all changes, sorted by path. */
function changesOf({ added, changed, removed }: Difference): FileChange[] {
  const changes: FileChange[] = [
    ...added.map((after) => ({ before: null, after })),
    ...changed,
    ...removed.map((before) => ({ before, after: null })),
  ];
  const pathOf = ({ before, after }: FileChange): string => (before ?? after)!.path;
  return changes.toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

/** Converts a difference to the stable shape of `--json`. */
function differenceRow({ added, changed, removed, unchanged }: Difference) {
  const fileRow = ({ path, size }: FolderFile) => ({ path, size });
  return {
    added: added.map(fileRow),
    changed: changed.map(({ before, after }) => ({ ...fileRow(after), sizeBefore: before.size })),
    removed: removed.map(fileRow),
    unchanged,
  };
}

const SIGNS = { '+': 'green', '~': 'yellow', '-': 'red' } as const;

function describe(difference: Difference): Line[] {
  const cells = changesOf(difference).map(({ before, after }): string[] => {
    if (before === null) return [`+ ${after!.path}`, bytes(after!.size)];
    if (after === null) return [`- ${before.path}`, bytes(before.size)];
    return [`~ ${after.path}`, `${bytes(before.size)} -> ${bytes(after.size)}`];
  });
  return columns(cells).map((text) => [{ colour: SIGNS[text[0] as keyof typeof SIGNS], text }]);
}

function summaryOf({ added, changed, removed, unchanged }: Difference): string {
  if (added.length + changed.length + removed.length === 0) return `No changes: ${unchanged} equal files.`;
  const parts = [
    ['added', added],
    ['changed', changed.map(({ after }) => after)],
    ['removed', removed],
  ] as const;
  const texts = parts
    .filter(([, files]) => files.length > 0)
    .map(([word, files]) => `${files.length.toLocaleString('en-US')} ${word} (${bytes(sizeOf(files))})`);
  return `${[...texts, `${unchanged.toLocaleString('en-US')} unchanged`].join(', ')}.`;
}

function sizeOf(files: readonly FolderFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
