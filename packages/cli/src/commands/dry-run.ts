import type { DeployFolderInput, DeployOptions } from '@berth/client';
import { describeSkipped, describePlan } from '../render/deploy-view.ts';
import type { Session } from '../session.ts';

const SIGNS = { added: '+', changed: '~', removed: '-' } as const;
const KINDS = ['added', 'changed', 'removed'] as const;

/** Prints what publishing a folder would do. Sends nothing. */
export async function dryRun(session: Session, input: DeployFolderInput, options: DeployOptions): Promise<void> {
  const { parts, printResult, note } = session;
  const planned = await parts.planFolder(input, options);
  const { changes, total, missing, skipped } = planned;
  describeSkipped(skipped).forEach(note);
  printResult({ changes, total, missing, skipped }, () =>
    KINDS.flatMap((kind) => changes[kind].map((path) => `${SIGNS[kind]} ${path}`)),
  );
  note(`${describePlan(changes, missing)} Nothing was sent.`);
}
