import { isAbsolute } from 'node:path';
import { ClientError } from '@berth/client';
import type { BrowserWindow, IpcMain, IpcMainInvokeEvent } from 'electron';
import { z } from 'zod';
import { type CommandName, COMMANDS, commandChannel, GRANT_CHANNEL } from '../../shared/channels.ts';
import { type Answer, commands } from '../../shared/contract.ts';
import { Given } from '../../shared/publishing.ts';
import type { Backend } from '../backend.ts';
import { problemOf } from '../problem.ts';
import { isOurs } from '../shell/app-protocol.ts';

/** The paths of dropped items, as the preload sends them. */
const DroppedPaths = z
  .array(
    z
      .string()
      .max(32_767)
      .refine((path) => isAbsolute(path) && !path.includes('\0'), 'a dropped path must be absolute'),
  )
  .max(1_000, 'At most 1,000 files and folders can be dropped at once');

/** The parts that answer the page. */
export interface IpcOptions {
  ipcMain: Pick<IpcMain, 'handle'>;
  /** The window whose page is answered. All other senders are refused. */
  window(): BrowserWindow | null;
  backend: Pick<Backend, 'give' | 'handlers'>;
}

/**
 * Answers every command of the contract, and drops. Checks the sender of each message, parses the input, and reduces the output
 * to the fields of the contract. Errors are returned as values; an answer never rejects.
 *
 * Source: desktop §6.
 */
export function registerIpc({ ipcMain, window, backend }: IpcOptions): void {
  const answer = (channel: string, input: z.ZodType, output: z.ZodType, run: (input: never) => Promise<unknown>) =>
    ipcMain.handle(channel, async (event: IpcMainInvokeEvent, ...args: unknown[]): Promise<Answer<unknown>> => {
      try {
        if (!isOurPage(event, window()))
          throw new ClientError('refused', 'Only the window of the app can send commands.');
        const result = await run(input.parse(args[0]) as never);
        return { ok: true, value: cut(output, result) };
      } catch (error) {
        return { ok: false, problem: problemOf(error) };
      }
    });

  const answerCommand = <C extends CommandName>(name: C) =>
    answer(commandChannel(name), commands[name].input, commands[name].output, backend.handlers[name]);

  for (const name of COMMANDS) answerCommand(name);
  answer(GRANT_CHANNEL, DroppedPaths, z.array(Given), (paths: string[]) => backend.give(paths));
}

/** Reduces a value to the fields of the contract. A value that does not match is a bug in the app, not invalid input. */
function cut(schema: z.ZodType, value: unknown): unknown {
  const cutting = schema.safeParse(value);
  if (!cutting.success) throw new Error('The answer does not match the contract', { cause: cutting.error });
  return cutting.data;
}

/**
 * True if a message comes from our page: from the main frame of our window while it shows our page. Frames inside the page, other
 * windows with the same address, and destroyed frames are refused.
 *
 * Source: desktop §6.
 */
export function isOurPage(
  { sender, senderFrame }: Pick<IpcMainInvokeEvent, 'sender' | 'senderFrame'>,
  window: BrowserWindow | null,
): boolean {
  try {
    if (window === null || window.isDestroyed() || senderFrame === null || senderFrame.isDestroyed()) return false;
    const { webContents } = window;
    return sender === webContents && senderFrame === webContents.mainFrame && isOurs(senderFrame.url);
  } catch {
    // The properties of a frame throw if it is destroyed at this moment.
    return false;
  }
}
