import type { BrowserWindow } from 'electron';
import { type EventName, eventChannel } from '../../shared/channels.ts';
import { events } from '../../shared/contract.ts';
import type { Emit } from '../backend.ts';
import { problemOf } from '../problem.ts';

/** Events that are not part of a state, so that the page cannot read them later. */
const ONCE: ReadonlySet<EventName> = new Set(['navigate', 'problem']);

/** The max number of events that are queued while there is no page. */
const MAX_QUEUED = 20;

/**
 * Sends events to the page of our window. Reduces their data to the fields of the contract. Queues `navigate` and `problem` while
 * no page listens. An event that does not match the contract is reported as a bug in the app instead.
 */
export class PageEvents {
  readonly #window: () => BrowserWindow | null;
  #listens = false;
  #queued: (readonly [channel: string, data: unknown])[] = [];

  constructor(window: () => BrowserWindow | null) {
    this.#window = window;
  }

  readonly emit: Emit = (name, data) => {
    const cut = events[name].safeParse(data);
    if (cut.success) this.#send(name, cut.data);
    else this.#send('problem', { problem: problemOf(new Error(`The event ${name} does not match the contract`)) });
  };

  /** Reports that the page has read the state and listens. It gets the queued events now. */
  ready(): void {
    this.#listens = true;
    const live = this.#window();
    for (const [channel, data] of this.#queued.splice(0)) live?.webContents.send(channel, data);
  }

  /** Reports that a new page is loading, which does not listen yet. */
  reset(): void {
    this.#listens = false;
  }

  #send(name: EventName, data: unknown): void {
    const channel = eventChannel(name);
    const live = this.#window();
    if (ONCE.has(name) && (!this.#listens || live === null))
      this.#queued = [...this.#queued, [channel, data] as const].slice(-MAX_QUEUED);
    else if (live !== null && !live.isDestroyed() && !live.webContents.isDestroyed())
      live.webContents.send(channel, data);
  }
}
