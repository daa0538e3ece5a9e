import { describeStates } from '../gallery/describe-states.ts';
import { SIGN_IN_STATES } from '../gallery/sign-in-states.ts';

describeStates(
  'every state of the pages for signing in, keeping a site and approving a device (api §13)',
  SIGN_IN_STATES,
);
