import type { BrowserWindow, WebContents } from 'electron';
import { type EventName, eventChannel } from '../../shared/channels.ts';
import { events } from '../../shared/contract.ts';
import type { Emit } from '../backend.ts';
import { problemOf } from '../problem.ts';

/** The events for the main window alone. They are queued, because they are not part of a state that the page can read later. */
const QUEUED_EVENTS: ReadonlySet<EventName> = new Set(['navigate', 'problem']);

/** The maximum number of events that are queued while there is no page. */
const MAX_QUEUED_EVENTS = 20;

type CurrentWindow = () => BrowserWindow | null;

export type PageEvents = ReturnType<typeof createPageEvents>;

/**
 * Sends events to the pages of our windows. Removes fields that are not in the contract. Queues `navigate` and `problem` while no
 * page of the main window listens. An event that does not match the contract is reported as a bug in the app instead.
 */
export function createPageEvents(mainWindow: CurrentWindow, dropWindow: CurrentWindow) {
  let isListening = false;
  let queuedEvents: (readonly [channel: string, data: unknown])[] = [];

  function send(name: EventName, data: unknown): void {
    const channel = eventChannel(name);
    if (!QUEUED_EVENTS.has(name)) for (const window of [mainWindow(), dropWindow()]) sendTo(window, channel, data);
    else if (isListening && mainWindow() !== null) sendTo(mainWindow(), channel, data);
    else queuedEvents = [...queuedEvents, [channel, data] as const].slice(-MAX_QUEUED_EVENTS);
  }

  const emit: Emit = (name, data) => {
    const parsed = events[name].safeParse(data);
    if (parsed.success) send(name, parsed.data);
    else send('problem', { problem: problemOf(new Error(`The event ${name} does not match the contract`)) });
  };

  return {
    emit,
    /** Sends the queued events. Called when a page has read the state and listens. */
    ready(page: WebContents): void {
      const window = mainWindow();
      if (window === null || page.id !== window.webContents.id) return;
      isListening = true;
      for (const [channel, data] of queuedEvents.splice(0)) sendTo(window, channel, data);
    },
    /** Queues events from now on. Called when a new page is loading in the main window, which does not listen yet. */
    reset: () => void (isListening = false),
  };
}

function sendTo(window: BrowserWindow | null, channel: string, data: unknown): void {
  if (window !== null && !window.isDestroyed() && !window.webContents.isDestroyed())
    window.webContents.send(channel, data);
}
