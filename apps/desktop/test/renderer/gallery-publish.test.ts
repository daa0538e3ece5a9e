import { describeStates } from '../harness/gallery/describe-states.ts';
import { PUBLISH_STATES } from '../harness/gallery/publish-states.ts';

describeStates('every state of publishing (desktop §8)', PUBLISH_STATES);
