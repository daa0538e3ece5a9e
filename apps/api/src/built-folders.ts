import { join } from 'node:path';

// The bundle of the server is in `apps/api/dist`, so these paths hold there, too.
const ROOT = join(import.meta.dirname, '../../..');

/** The folder of the built package `@berth/cli`. `npm start`, `npm run dev` and the image build it. */
export const COMMAND_LINE_FOLDER = join(ROOT, 'packages/cli/dist');

/** The folder of the built console. `npm start`, `npm run dev` and the image build it. */
export const CONSOLE_FOLDER = join(ROOT, 'apps/web/dist');
