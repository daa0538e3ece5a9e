import { describeStates } from '../harness/gallery/describe-states.ts';
import { FOLDER_STATES } from '../harness/gallery/folder-states.ts';

describeStates('every state of watched folders (desktop §8)', FOLDER_STATES);
