import { describeStates } from '../gallery/describe-states.ts';
import { SITE_STATES } from '../gallery/site-states.ts';

describeStates('every state of the pages for sites and domains (api §13)', SITE_STATES);
