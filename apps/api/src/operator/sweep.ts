import { applyDuePlanChanges, sweep } from '@berth/core/jobs';
import { type Command, JSON_OPTION, printJson } from './command.ts';

/** How long running deploys may delay the sweep. */
const FENCE_WAIT_MS = 5_000;

const run: Command = {
  name: 'sweep',
  summary: 'Run the sweep now. Every server runs it once a minute.',
  details: ['Expires deployments, removes files of deleted ones, and applies plan changes that are due.'],
  options: JSON_OPTION,
  examples: ['sweep'],
  async run(session, input) {
    const { core, config } = session;
    const report = await sweep(core, { ...config.sweep, fenceWaitMs: FENCE_WAIT_MS });
    const planChanges = await applyDuePlanChanges(core);
    if (input.has('json')) return printJson(session, { ...report, planChanges });
    const { expired, deployments, packs, fenced } = report;
    session.print(
      `Expired ${expired} deployments, removed ${deployments} deployments and ${packs} packs, applied ${planChanges} plan changes.`,
    );
    if (!fenced) session.print('Deploys were in progress. The next sweep removes unused packs.');
  },
};

export const sweepCommands: readonly Command[] = [run];
