import { buildOnce } from '@berth/testing/builds';
import { buildApp } from '../../../build/build.ts';

/** Returns the folder of the compiled pages of the app and their preload script, which all files share. */
export const builtPages = (): Promise<string> =>
  buildOnce('desktop-pages', (folder) => buildApp(folder, ['preload', 'renderer']));
