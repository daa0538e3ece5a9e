import { type Input, repeatedInput } from './input.ts';
import { ARCHIVE_INPUTS } from './inputs/archives.ts';
import { HEAD_INPUTS } from './inputs/heads.ts';
import { JSON_INPUTS } from './inputs/json.ts';
import { MULTIPART_INPUTS } from './inputs/multipart.ts';
import { SITE_INPUTS } from './inputs/sites.ts';
import { UPLOAD_INPUTS } from './inputs/uploads.ts';

/** All hostile inputs. The first input is harmless, and shows the cost of the mere number of requests. */
export const INPUTS: readonly Input[] = [
  repeatedInput('none', 'GET /ping, as many', () => ({ path: '/ping' })),
  ...JSON_INPUTS,
  ...UPLOAD_INPUTS,
  ...MULTIPART_INPUTS,
  ...ARCHIVE_INPUTS,
  ...HEAD_INPUTS,
  ...SITE_INPUTS,
];
