import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { COMMANDS, commandChannel, EVENTS, eventChannel, GRANT_CHANNEL } from '../shared/channels.ts';
import type { Answer } from '../shared/contract.ts';
import type { Problem } from '../shared/problem.ts';

/** The maximum number of files and folders in one drop. */
const MAX_DROPPED_ITEMS = 1_000;

/** Sends a command to the app. Never rejects: if the command cannot be sent or gets no response, the result is a problem. */
async function invoke(channel: string, input: unknown): Promise<Answer<unknown>> {
  try {
    return await ipcRenderer.invoke(channel, input);
  } catch {
    return refusedAnswer('unexpected', 'The app is not responding.', 'Restart the app.');
  }
}

const commands = Object.fromEntries(
  COMMANDS.map((name) => [name, (input: unknown) => invoke(commandChannel(name), input)]),
);

const events = Object.fromEntries(
  EVENTS.map((name) => [
    name,
    (listener: (data: unknown) => void) => {
      // The event object gives access to all of IPC, so the page must not get it.
      const forward = (_event: unknown, data: unknown) => listener(data);
      ipcRenderer.on(eventChannel(name), forward);
      return () => void ipcRenderer.off(eventChannel(name), forward);
    },
  ]),
);

/** Turns dropped files into grants. Only this function reads their paths, and it sends them only to the app. */
async function grantFiles(files: Iterable<File> | null | undefined): Promise<Answer<unknown>> {
  const droppedFiles = [...(files ?? [])];
  const limit = MAX_DROPPED_ITEMS.toLocaleString('en-US');
  if (droppedFiles.length > MAX_DROPPED_ITEMS)
    return refusedAnswer(
      'refused',
      `Drop at most ${limit} files and folders at once.`,
      'Drop the folder that contains them.',
    );
  return invoke(GRANT_CHANNEL, droppedFiles.map(pathOf).filter(Boolean));
}

/** The path of a file; an empty string if the file is not on a disk. */
function pathOf(file: File): string {
  try {
    return webUtils.getPathForFile(file);
  } catch {
    return '';
  }
}

function refusedAnswer(kind: Problem['kind'], message: string, next: string): Answer<never> {
  return { ok: false, problem: { kind, message, next, file: null } };
}

contextBridge.exposeInMainWorld('desktop', { commands, events, grant: grantFiles });
