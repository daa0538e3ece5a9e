import type { Command } from 'commander';
import { renderQrCode } from '../render/qr-code.ts';
import { openSource } from '../project/open-project.ts';
import type { Session } from '../session.ts';
import { isLocalSite } from '../site-request.ts';
import { parseTtl } from '../values.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { addSiteOptions, type PublicationOptions, readPublication } from './publication.ts';
import { requireFolder } from './publish.ts';
import { publish } from './run-deploy.ts';
import { describeWarning, findFolderWarnings } from './warnings.ts';

interface Options extends Omit<PublicationOptions, 'domain'> {
  ttl?: number;
}

const DAY_SECONDS = 86_400;

export function addPreview(program: Command, context: CommandContext): void {
  const command = withExamples(program.command('preview'), {
    'berth preview ./dist': 'publishes the folder for a day, and shows a QR code',
    'berth preview ./dist --ttl 2h --password -': 'publishes it for two hours, with a password',
  })
    .summary('publish a folder for a day, and show a QR code')
    .description(
      'Publish a folder at a link of its own that expires after a day, and show its QR code on a terminal. Domains are not changed.',
    )
    .argument('[folder]', 'the folder of the built site, or one HTML file; default: that of berth.json');
  addSiteOptions(command)
    .option('-t, --ttl <time>', 'when the preview expires, such as 2h (default: 24h)', parseTtl)
    .option('--no-delta', 'send every file, even if the server has it')
    .action(
      inSession<[string?], Options>(context, async (ownSession, [typed], options) => {
        const { session, folder, project } = await openSource(ownSession, context.errorContext, typed);
        await requireFolder(program, folder, true);
        const publication = await readPublication(session, folder, options, project);
        const input = { ...publication, ttl: timeToLive(session, options) };
        const warnings = await findFolderWarnings(folder);
        warnings.forEach((warning) => session.note(describeWarning(warning)));
        const engine = { signal: session.signal, cacheDir: session.cacheDir, delta: options.delta };
        showQrCode(session, await publish(session, session.parts.deployFolder(input, engine), warnings));
      }),
    );
}

/** Returns the time to live in seconds. Without a key, a deployment expires after three days, and cannot have a `ttl`. */
function timeToLive({ key }: Session, { ttl }: Options): number | undefined {
  return ttl ?? (key.key === null ? undefined : DAY_SECONDS);
}

function showQrCode({ terminal, note, json, quiet }: Session, url: string): void {
  if (json || quiet || terminal.columns() === null) return;
  terminal.err(['', ...renderQrCode(url), '']);
  if (isLocalSite(new URL(url))) note('Only this machine can open an address below localhost.');
}
