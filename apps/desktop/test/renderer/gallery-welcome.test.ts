import { describeStates } from '../harness/gallery/describe-states.ts';
import { WELCOME_STATES } from '../harness/gallery/welcome-states.ts';

describeStates('every state of the first run (desktop §8)', WELCOME_STATES);
