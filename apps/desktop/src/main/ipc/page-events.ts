import type { BrowserWindow } from 'electron';
import { type EventName, eventChannel } from '../../shared/channels.ts';
import { type EventData, events } from '../../shared/contract.ts';
import type { Emit } from '../backend.ts';
import { problemOf } from '../problem.ts';

/** Events that are not part of a state, so that the page cannot read them later. */
const ONCE: ReadonlySet<EventName> = new Set(['navigate', 'problem']);

/** The max number of events that are queued while there is no page. */
const MAX_QUEUED = 20;

/** Sends events to the page. */
export interface PageEvents {
  emit: Emit;
  /** Reports that the page has read the state and listens. It gets the queued events now. */
  ready(): void;
  /** Reports that a new page is loading, which does not listen yet. */
  reset(): void;
}

/**
 * Creates the sender of events to the page of our window. Reduces their data to the fields of the contract. Queues `navigate` and
 * `problem` while no page listens. An event that does not match the contract is reported as a bug in the app instead.
 */
export function createPageEvents(window: () => BrowserWindow | null): PageEvents {
  let listens = false;
  let queued: (readonly [channel: string, data: unknown])[] = [];

  const send = (name: EventName, data: unknown) => {
    const channel = eventChannel(name);
    const live = window();
    if (ONCE.has(name) && (!listens || live === null))
      queued = [...queued, [channel, data] as const].slice(-MAX_QUEUED);
    else if (live !== null && !live.isDestroyed() && !live.webContents.isDestroyed())
      live.webContents.send(channel, data);
  };

  return {
    emit: <E extends EventName>(name: E, data: EventData<E>) => {
      const cut = events[name].safeParse(data);
      if (cut.success) send(name, cut.data);
      else send('problem', { problem: problemOf(new Error(`The event ${name} does not match the contract`)) });
    },
    ready: () => {
      listens = true;
      const waiting = queued;
      queued = [];
      const live = window();
      for (const [channel, data] of waiting) live?.webContents.send(channel, data);
    },
    reset: () => {
      listens = false;
    },
  };
}
