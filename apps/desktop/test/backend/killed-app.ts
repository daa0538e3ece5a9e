/** Runs an app without windows, which signs in and publishes a folder. A test kills this process. */
import { openBackend } from '../../src/main/open-backend.ts';
import { TestNative } from './native.ts';

const [server = '', key = '', folder = '', dataDir = '', cacheDir = ''] = process.argv.slice(2);
const backend = await openBackend({
  native: new TestNative(),
  about: { version: '1.0.0', platform: 'linux', tray: true, canOpenAtLogin: true },
  dataDir,
  cacheDir,
  server,
  emit() {},
});
await backend.handlers.signIn({ key });
const grantedItems = await backend.give([folder]);
await backend.handlers.publish({ grants: grantedItems.map(({ grant }) => grant) });
