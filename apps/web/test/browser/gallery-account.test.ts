import { ACCOUNT_STATES } from '../gallery/account-states.ts';
import { describeStates } from '../gallery/describe-states.ts';

describeStates('every state of the pages for activity, tokens and usage (api §13)', ACCOUNT_STATES);
