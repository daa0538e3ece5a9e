import { EventEmitter } from 'node:events';
import type { DesktopApi } from '../../../src/shared/contract.ts';

/** The API that the page gets. */
export const exposed = new Map<string, DesktopApi>();

export const contextBridge = {
  exposeInMainWorld: (name: string, api: DesktopApi) => void exposed.set(name, api),
};

/** The messages to the app, in order. */
export const invoked: unknown[][] = [];

export const answers = { broken: false };

export const ipcRenderer = Object.assign(new EventEmitter(), {
  invoke: async (...args: unknown[]) => {
    if (answers.broken) throw new Error('An object could not be cloned');
    invoked.push(args);
    return { ok: true, value: null };
  },
});

export const webUtils = {
  getPathForFile: (file: { path?: string }) => {
    if (file?.path === undefined) throw new TypeError('It is not a file');
    return file.path;
  },
};
