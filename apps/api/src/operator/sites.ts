import { setTakenDown } from '@berth/core/operator';
import { type Command } from './command.ts';

const takeDown: Command = {
  name: 'sites take-down',
  summary: 'Take a site down. Visitors see that it was taken down.',
  details: ['The site responds with 451 at all its addresses. Nothing is deleted; "sites put-back" reverses it.'],
  arguments: ['deployment'],
  options: { reason: { value: 'text', help: 'The reason. The owner sees it in the activities.' } },
  examples: [
    'sites take-down calm-otter-4k9x2qd',
    'sites take-down https://calm-otter-4k9x2qd.sites.example.net --reason "Phishing, reported 3 May"',
  ],
  async run({ core, print }, input) {
    const reason = input.option('reason');
    const { deployment, changed } = await setTakenDown(core, input.get('deployment'), true, { reason });
    print(changed ? `${deployment} was taken down.` : `${deployment} is already down.`);
  },
};

const putBack: Command = {
  name: 'sites put-back',
  summary: 'Restore a site that was taken down.',
  arguments: ['deployment'],
  examples: ['sites put-back calm-otter-4k9x2qd'],
  async run({ core, print }, input) {
    const { deployment, changed } = await setTakenDown(core, input.get('deployment'), false);
    print(changed ? `${deployment} was restored.` : `${deployment} is not taken down.`);
  },
};

export const siteCommands: readonly Command[] = [takeDown, putBack];
