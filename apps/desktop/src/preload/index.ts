import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { COMMANDS, commandChannel, EVENTS, eventChannel, GRANT_CHANNEL } from '../shared/channels.ts';
import type { Answer } from '../shared/contract.ts';
import type { Problem } from '../shared/problem.ts';

const MAX_DROPPED = 1_000;

/** Sends a command to the app. Never rejects: a command that cannot be sent or is not answered gives a problem. */
async function invoke(channel: string, input: unknown): Promise<Answer<unknown>> {
  try {
    return await ipcRenderer.invoke(channel, input);
  } catch {
    return refuse('unexpected', 'The app is not responding.', 'Restart the app.');
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
async function grant(files: Iterable<File> | null | undefined): Promise<Answer<unknown>> {
  const dropped = [...(files ?? [])];
  if (dropped.length > MAX_DROPPED)
    return refuse(
      'refused',
      `At most ${MAX_DROPPED.toLocaleString('en-US')} files and folders can be dropped at once.`,
      'Drop the folder that contains them.',
    );
  const paths = dropped.map(pathOf).filter((path) => path !== '');
  return invoke(GRANT_CHANNEL, paths);
}

/** The path of a file that is on a disk; otherwise an empty string. */
function pathOf(file: File): string {
  try {
    return webUtils.getPathForFile(file);
  } catch {
    return '';
  }
}

function refuse(kind: Problem['kind'], message: string, next: string): Answer<never> {
  return { ok: false, problem: { kind, message, next, file: null } };
}

contextBridge.exposeInMainWorld('desktop', { commands, events, grant });
