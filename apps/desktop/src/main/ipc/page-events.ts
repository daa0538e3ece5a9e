import type { BrowserWindow } from 'electron';
import { type EventName, eventChannel } from '../../shared/channels.ts';
import { events } from '../../shared/contract.ts';
import type { Emit } from '../backend.ts';
import { problemOf } from '../problem.ts';

/** The events that are queued, because they are not part of a state that the page can read later. */
const QUEUED_EVENTS: ReadonlySet<EventName> = new Set(['navigate', 'problem']);

/** The maximum number of events that are queued while there is no page. */
const MAX_QUEUED_EVENTS = 20;

export type PageEvents = ReturnType<typeof createPageEvents>;

/**
 * Sends events to the page of our window. Removes fields that are not in the contract. Queues `navigate` and `problem` while no
 * page listens. An event that does not match the contract is reported as a bug in the app instead.
 */
export function createPageEvents(currentWindow: () => BrowserWindow | null) {
  let isListening = false;
  let queuedEvents: (readonly [channel: string, data: unknown])[] = [];

  function send(name: EventName, data: unknown): void {
    const channel = eventChannel(name);
    const window = currentWindow();
    if (QUEUED_EVENTS.has(name) && (!isListening || window === null))
      queuedEvents = [...queuedEvents, [channel, data] as const].slice(-MAX_QUEUED_EVENTS);
    else if (window !== null && !window.isDestroyed() && !window.webContents.isDestroyed())
      window.webContents.send(channel, data);
  }

  const emit: Emit = (name, data) => {
    const parsed = events[name].safeParse(data);
    if (parsed.success) send(name, parsed.data);
    else send('problem', { problem: problemOf(new Error(`The event ${name} does not match the contract`)) });
  };

  return {
    emit,
    /** Sends the queued events. Called when the page has read the state and listens. */
    ready(): void {
      isListening = true;
      const window = currentWindow();
      for (const [channel, data] of queuedEvents.splice(0)) window?.webContents.send(channel, data);
    },
    /** Queues events from now on. Called when a new page is loading, which does not listen yet. */
    reset: () => void (isListening = false),
  };
}
