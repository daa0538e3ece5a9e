import { ACCOUNT_STATES } from '../harness/gallery/account-states.ts';
import { describeStates } from '../harness/gallery/describe-states.ts';
import { SETTINGS_STATES } from '../harness/gallery/settings-states.ts';

describeStates('every state of an account and the settings (desktop §8)', [...ACCOUNT_STATES, ...SETTINGS_STATES]);
