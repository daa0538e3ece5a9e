import { ClientError } from '@berth/client';
import type { AppState } from '../shared/contract.ts';
import type { Handlers } from './backend.ts';
import type { Grants } from './grants.ts';
import type { Native } from './native.ts';
import { orRefuse } from './problem.ts';
import { mayOpen } from './shell/links.ts';

interface AppCommandsOptions {
  native: Pick<Native, 'copyText' | 'openExternal' | 'pickFolder' | 'pickFiles' | 'restartToUpdate' | 'showWindow'>;
  grants: Pick<Grants, 'give'>;
  state(): AppState;
}

/** Creates the handlers of the commands that belong to the app as a whole. Source: desktop §6. */
export function createAppCommands({ native, grants, state }: AppCommandsOptions) {
  return {
    readState: async () => state(),
    async copy({ text }) {
      try {
        await native.copyText(text);
      } catch (cause) {
        throw new ClientError('refused', 'The clipboard is not available. Copy the text by hand.', { cause });
      }
    },
    async openLink({ url }) {
      const origins = state().session.servers.map(({ origin }) => origin);
      const address = mayOpen(url, origins);
      if (!address)
        throw new ClientError('refused', 'This link cannot be opened. Only https links and pages of your servers can.');
      await orRefuse(native.openExternal(address.href), 'The browser could not be opened. Copy the link instead.');
    },
    async pickFolder({ reason } = { reason: 'publish' }) {
      const path = await native.pickFolder(reason);
      const [given = null] = path === null ? [] : await grants.give([path]);
      if (path !== null && (given === null || given.kind === 'file'))
        throw new ClientError('folder', 'The folder cannot be read. Choose another one.');
      return given;
    },
    async pickFiles() {
      const paths = await native.pickFiles();
      const grantedItems = await grants.give(paths);
      if (grantedItems.length < paths.length)
        throw new ClientError('folder', 'Some of the files cannot be read. Choose others.');
      return grantedItems;
    },
    async showWindow(target) {
      native.showWindow(target);
    },
    async restartToUpdate() {
      if (state().update.is !== 'ready') throw new ClientError('refused', 'No update is ready to install.');
      native.restartToUpdate();
    },
  } satisfies Partial<Handlers>;
}
