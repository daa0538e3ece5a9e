import type { BrowserWindow } from 'electron';
import { type EventName, eventChannel } from '../../shared/channels.ts';
import { type EventData, events } from '../../shared/contract.ts';
import type { Tell } from '../backend.ts';
import { problemOf } from '../problem.ts';

/** What happens once, and is in no state that the page could read later. */
const ONCE: ReadonlySet<EventName> = new Set(['navigate', 'notice']);

/** More than this many have no place in a window that is not there. */
const MOST_HELD = 20;

/** Tells the page. */
export interface Teller {
  tell: Tell;
  /** The page has read the state, and listens: it hears what it missed. */
  ready(): void;
  /** There is another page, which listens to nothing yet. */
  reset(): void;
}

/**
 * Makes what tells the page of our window events, cut to the fields of the contract. What happens once, while no page listens,
 * is held for the one that will. An event that does not fit the contract is told as a fault of the app instead.
 */
export function createTeller(window: () => BrowserWindow | null): Teller {
  let listens = false;
  let held: (readonly [channel: string, data: unknown])[] = [];

  const send = (name: EventName, data: unknown) => {
    const channel = eventChannel(name);
    const live = window();
    if (ONCE.has(name) && (!listens || live === null)) held = [...held, [channel, data] as const].slice(-MOST_HELD);
    else if (live !== null && !live.isDestroyed() && !live.webContents.isDestroyed())
      live.webContents.send(channel, data);
  };

  return {
    tell: <E extends EventName>(name: E, data: EventData<E>) => {
      const cut = events[name].safeParse(data);
      if (cut.success) send(name, cut.data);
      else send('notice', { problem: problemOf(new Error(`${name} is not what the contract says`)) });
    },
    ready: () => {
      listens = true;
      const missed = held;
      held = [];
      const live = window();
      for (const [channel, data] of missed) live?.webContents.send(channel, data);
    },
    reset: () => {
      listens = false;
    },
  };
}
