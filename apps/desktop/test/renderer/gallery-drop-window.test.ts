import { describeStates } from '../harness/gallery/describe-states.ts';
import { DROP_WINDOW_STATES } from '../harness/gallery/drop-window-states.ts';

describeStates('every state of the drop window (desktop §8)', DROP_WINDOW_STATES);
