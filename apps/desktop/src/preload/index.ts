import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { COMMANDS, commandChannel, EVENTS, eventChannel, GRANT_CHANNEL } from '../shared/channels.ts';

const commands = Object.fromEntries(
  COMMANDS.map((name) => [name, (input: unknown) => ipcRenderer.invoke(commandChannel(name), input)]),
);

const events = Object.fromEntries(
  EVENTS.map((name) => [
    name,
    (listener: (data: unknown) => void) => {
      // The event object has a way to the whole of IPC: the page never sees it.
      const hear = (_event: unknown, data: unknown) => listener(data);
      ipcRenderer.on(eventChannel(name), hear);
      return () => void ipcRenderer.off(eventChannel(name), hear);
    },
  ]),
);

const grant = (files: readonly File[]) =>
  ipcRenderer.invoke(
    GRANT_CHANNEL,
    [...files].map((file) => webUtils.getPathForFile(file)).filter((path) => path !== ''),
  );

contextBridge.exposeInMainWorld('desktop', { commands, events, grant });
