import { isAbsolute } from 'node:path';
import { ClientError } from '@berth/client';
import type { BrowserWindow, IpcMain, IpcMainInvokeEvent, WebContents } from 'electron';
import { z } from 'zod';
import { COMMANDS, commandChannel, GRANT_CHANNEL } from '../../shared/channels.ts';
import { type Answer, commands } from '../../shared/contract.ts';
import { GivenItem } from '../../shared/publishing.ts';
import type { Backend } from '../backend.ts';
import { problemOf } from '../problem.ts';
import { isOurs } from '../shell/app-protocol.ts';

const DroppedPath = z
  .string()
  .max(32_767)
  .refine((path) => isAbsolute(path) && !path.includes('\0'), 'a dropped path must be absolute');
/** The paths of dropped items, as the preload sends them. */
const DroppedPaths = z.array(DroppedPath).max(1_000, 'At most 1,000 files and folders can be dropped at once');

interface IpcOptions {
  ipcMain: Pick<IpcMain, 'handle'>;
  /** Returns the windows whose pages may send commands; `null` for a closed one. All other senders are refused. */
  windows(): readonly (BrowserWindow | null)[];
  backend: Pick<Backend, 'give' | 'handlers'>;
  /** Called when a page has received the state. */
  onStateRead(page: WebContents): void;
  /** Called with errors that are bugs in the app. */
  onBug(error: unknown): void;
}

/**
 * Handles every command of the contract, and drops. Checks the sender of each message, parses the input, and removes fields from
 * the output that are not in the contract. Errors are returned as values; a handler never rejects. Source: desktop §6.
 */
export function registerIpc({ ipcMain, windows, backend, onStateRead, onBug }: IpcOptions): void {
  const handle = (channel: string, input: z.ZodType, output: z.ZodType, run: (input: never) => Promise<unknown>) =>
    ipcMain.handle(channel, async (event: IpcMainInvokeEvent, ...args: unknown[]): Promise<Answer<unknown>> => {
      try {
        if (!windows().some((window) => isOurPage(event, window)))
          throw new ClientError('refused', 'Only the windows of the app can send commands.');
        const result = output.safeParse(await run(input.parse(args[0]) as never));
        // Invalid output is a bug in the app; invalid input is not.
        if (!result.success) throw new Error('The output does not match the contract', { cause: result.error });
        // The answer is sent before the next round of the event loop.
        if (channel === commandChannel('readState')) setImmediate(() => onStateRead(event.sender));
        return { ok: true, value: result.data };
      } catch (error) {
        const problem = problemOf(error);
        if (problem.kind === 'unexpected') onBug(error);
        return { ok: false, problem };
      }
    });

  for (const name of COMMANDS)
    handle(commandChannel(name), commands[name].input, commands[name].output, backend.handlers[name]);
  handle(GRANT_CHANNEL, DroppedPaths, z.array(GivenItem), (paths: string[]) => backend.give(paths));
}

/**
 * True if a message comes from the main frame of one of our windows while the window shows our page. Returns false for frames inside the
 * page, other windows with the same address, and destroyed frames. Source: desktop §6.
 */
export function isOurPage(
  { sender, senderFrame }: Pick<IpcMainInvokeEvent, 'sender' | 'senderFrame'>,
  window: BrowserWindow | null,
): boolean {
  try {
    if (window === null || window.isDestroyed() || senderFrame === null || senderFrame.isDestroyed()) return false;
    // The objects of a frame are not compared, because Electron may create a new object for the same frame.
    const { id, mainFrame } = window.webContents;
    return sender.id === id && senderFrame.frameTreeNodeId === mainFrame.frameTreeNodeId && isOurs(senderFrame.url);
  } catch {
    // Reading a property of a frame throws if the frame is destroyed at this moment.
    return false;
  }
}
