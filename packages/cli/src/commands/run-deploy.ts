import { ClientError, type DeployEvent } from '@berth/client';
import { count, moment } from '@berth/client/amounts';
import type { Warning } from '@berth/contract';
import { beginView, showEvent } from '../render/deploy-view.ts';
import type { Session } from '../session.ts';
import { deploymentRow } from './deployments.ts';
import { describeWarning } from './warnings.ts';

/** The last event of each type. */
type LastEvents = { [Event in DeployEvent as Event['type']]?: Event };

/**
 * Runs a deploy, and prints the progress and the result.
 *
 * @param events The events of the deploy.
 * @param folderWarnings The printed warnings about the folder, for `--json`.
 * @returns The printed link.
 */
export async function publish(
  session: Session,
  events: AsyncIterable<DeployEvent>,
  folderWarnings: readonly Warning[],
): Promise<string> {
  const { terminal, json, quiet, note } = session;
  const isSilent = json || quiet;
  const columns = isSilent ? null : terminal.columns();
  const lastEvents: LastEvents = {};
  let view = beginView(performance.now());
  try {
    for await (const event of events) {
      Object.assign(lastEvents, { [event.type]: event });
      const frame = showEvent(view, event, { at: performance.now(), columns });
      view = frame.view;
      if (isSilent) continue;
      terminal.err(frame.lines);
      terminal.status(frame.status);
    }
  } catch (error) {
    if (lastEvents.committed) note(`The deployment is live at ${lastEvents.committed.deployment.url}`);
    throw error;
  } finally {
    terminal.status('');
  }
  return printDeployResult(session, lastEvents, folderWarnings);
}

function printDeployResult(
  { note, printResult, json, terminal }: Session,
  { walked, planned, uploaded, committed, linked }: LastEvents,
  folderWarnings: readonly Warning[],
): string {
  if (!committed) throw new ClientError('server', 'The server did not confirm the deployment');
  const { deployment } = committed;
  const domain = linked?.domain ?? null;
  const { claim = null, warnings = [], expires = null, deleted = [] } = deployment;
  for (const warning of warnings) note(describeWarning(warning));
  // Nothing else ever shows the claim link, so it is printed even with `--quiet`.
  if (claim !== null && !json)
    terminal.err([
      `The deployment expires at ${moment(expires)}, unless an account claims it:`,
      ['  ', { colour: 'cyan', text: claim }],
    ]);
  else if (expires !== null) note(`The deployment expires at ${moment(expires)}.`);
  if (domain !== null && domain.status !== 'success')
    note(`${domain.domain} needs DNS records before it shows the site: berth domains records ${domain.domain}`);
  if (domain !== null && domain.links > 1)
    note([{ colour: 'dim', text: `To show the version before again: berth rollback ${domain.domain}` }]);
  if (deleted.length > 0) note(`Deleted ${count(deleted.length, 'older version')}.`);
  const allWarnings: readonly Warning[] = [...folderWarnings, ...warnings];
  const url = domain?.status === 'success' ? domain.url : deployment.url;
  const { added = [], changed = [], removed = [], unchanged = 0 } = planned?.changes ?? {};
  printResult(
    {
      url,
      deployment: deploymentRow(deployment),
      domain,
      claim,
      deleted,
      warnings: allWarnings.map(({ file, line = null, at = null, message }) => ({
        file,
        line,
        at,
        message,
      })),
      changes:
        planned?.via === 'archive'
          ? null
          : { added: added.length, changed: changed.length, removed: removed.length, unchanged },
      sent: { via: planned?.via ?? null, files: planned?.missing.files ?? 0, bytes: uploaded?.sentBytes ?? 0 },
      skipped: walked?.skipped ?? [],
    },
    () => [url],
  );
  return url;
}
