import { setTakenDown } from '@berth/core';
import { type Command } from './command.ts';

const takeDown: Command = {
  name: 'sites take-down',
  summary: 'Take a site down: everybody who asks for it reads that it is.',
  details: ['It answers 451 under each of its names. Nothing is removed: "sites put-back" undoes it.'],
  arguments: ['deployment'],
  options: { reason: { value: 'text', help: 'For the owner, who reads it among the activities.' } },
  examples: [
    'sites take-down calm-otter-4k9x2qd',
    'sites take-down https://calm-otter-4k9x2qd.sites.example.net --reason "Phishing, reported 3 May"',
  ],
  async run({ core, print }, input) {
    const reason = input.option('reason');
    const { deployment, changed } = await setTakenDown(core, input.get('deployment'), true, { reason });
    print(changed ? `${deployment} is down.` : `${deployment} is down already.`);
  },
};

const putBack: Command = {
  name: 'sites put-back',
  summary: 'Show a site again that was taken down.',
  arguments: ['deployment'],
  examples: ['sites put-back calm-otter-4k9x2qd'],
  async run({ core, print }, input) {
    const { deployment, changed } = await setTakenDown(core, input.get('deployment'), false);
    print(changed ? `${deployment} is back.` : `${deployment} is not down.`);
  },
};

export const siteCommands: readonly Command[] = [takeDown, putBack];
