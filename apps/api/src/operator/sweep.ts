import { applyDuePlanChanges, sweep } from '@berth/core';
import { type Command, JSON_OPTION, printJson } from './command.ts';

/** How long deploys at hand may keep the sweep waiting. */
const FENCE_WAIT_MS = 5_000;

const run: Command = {
  name: 'sweep',
  summary: 'Clean up now, as every server does once a minute.',
  details: ['Ends expired deployments, removes what deleted ones left, and applies plan changes that are due.'],
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
    if (!fenced) session.print('Deploys were in progress: unneeded packs are left to the next sweep.');
  },
};

export const sweepCommands: readonly Command[] = [run];
