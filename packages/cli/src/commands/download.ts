import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ClientError, errorText } from '@berth/client';
import { bytes } from '@berth/client/amounts';
import { UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import type { Session } from '../session.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { findDeployment } from './find-deployment.ts';

const STANDARD_OUTPUT = '-';
const TYPES = { tar: 'application/x-tar', zip: 'application/zip' } as const;

export function addDownload(program: Command, context: CommandContext): void {
  withExamples(program.command('download'), {
    'berth download calm-otter-4k9x2qd': 'writes calm-otter-4k9x2qd.tar',
    'berth download blog site.zip': 'writes what the domain shows as a zip',
    'berth download blog - | tar -x -C ./site': 'unpacks the files into a folder',
  })
    .summary('download the files of a deployment')
    .description('Download the files of a deployment as an archive, which can be published again.')
    .argument('<deployment>', 'a deployment, or a domain that shows one')
    .argument('[file]', 'the archive, a tar or .zip; "-" for a tar on standard output; default: <deployment>.tar')
    .action(
      inSession<[string, string?]>(context, async (session, [site, typed]) => {
        if (typed === STANDARD_OUTPUT) requirePipe(session);
        else if (typed !== undefined) await requireFile(typed);
        const { deployment } = await findDeployment(session, site);
        if (typed === STANDARD_OUTPUT) return writeToOutput(session, deployment);
        const file = typed ?? `${deployment}.tar`;
        await confirmOverwriting(session, file);
        const size = await writeFile(session, deployment, file);
        session.printResult({ deployment, file, size }, () => [file]);
        session.note(`Downloaded ${bytes(size)}.`);
      }),
    );
}

function requirePipe({ terminal }: Session): void {
  if (terminal.resultColumns() !== null)
    throw new UsageError('Standard output is a terminal. Name a file, or send the archive to a program: | tar -t');
}

async function requireFile(path: string): Promise<void> {
  const isFolder = /[/\\]$/.test(path) || (await stat(path).catch(() => null))?.isDirectory() === true;
  if (isFolder)
    throw new UsageError(`${path} is a folder. Name a file in it, or unpack the archive: - | tar -x -C ${path}`);
}

/** Asks before a file is overwritten. Without a person, only `--yes` allows it. @throws UsageError; Declined. */
async function confirmOverwriting({ asks, yes, confirm }: Session, file: string): Promise<void> {
  if (yes || (await stat(file).catch(() => null)) === null) return;
  if (!asks) throw new UsageError(`${file} already exists. Name another file, or overwrite it with --yes`);
  await confirm(`${file} already exists. Overwrite it?`);
}

async function writeToOutput(session: Session, deployment: string): Promise<void> {
  for await (const piece of archivePieces(session, deployment, TYPES.tar)) await session.terminal.outBytes(piece);
}

/** Writes an archive to a draft, which replaces the file only when it is complete. @returns The size in bytes. */
async function writeFile(session: Session, deployment: string, file: string): Promise<number> {
  const draft = `${file}.${process.pid}.tmp`;
  const type = /\.zip$/i.test(file) ? TYPES.zip : TYPES.tar;
  const target = createWriteStream(draft, { flags: 'wx', flush: true });
  try {
    await pipeline(archivePieces(session, deployment, type), target);
    await rename(draft, file);
    return target.bytesWritten;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Downloads an archive piece by piece, and shows the progress. @throws ClientError, of the kind `network` if it breaks off. */
async function* archivePieces(
  { client, signal, terminal, json, quiet }: Session,
  deployment: string,
  type: string,
): AsyncGenerator<Uint8Array> {
  const path = `deployments/${encodeURIComponent(deployment)}/archive`;
  const response = await client.request(path, { headers: { Accept: type }, signal });
  const size = Number(response.headers.get('content-length') ?? 0);
  let received = 0;
  try {
    for await (const piece of response.body!) {
      received += piece.length;
      if (!json && !quiet) terminal.status(`Downloading ${bytes(received)} of ${bytes(size)}`);
      yield piece;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ClientError('network', `The download broke off: ${errorText(error)} Run the command again`, {
      cause: error,
    });
  } finally {
    terminal.status('');
  }
}
