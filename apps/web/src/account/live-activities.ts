import { type BerthClient, ClientError } from '@berth/client/browser';
import type { Activity } from '@berth/contract';
import type { Unsubscribe } from '@berth/ui/backend';
import { reportSessionChange } from '../state/session-signals.ts';

const CHANNEL = 'berth-activities';
/** How long to wait before a stream that failed is opened again, in milliseconds. */
const RETRY_MS = 15_000;

type Message = { is: 'activity'; activity: Activity } | { is: 'begin' } | { is: 'connection'; isConnected: boolean };

/** The activities of the account as they happen. */
export interface LiveActivities {
  onActivity(listener: (activity: Activity) => void): Unsubscribe;
  /** Calls the listener when activities arrive again after a gap. */
  onResume(listener: () => void): Unsubscribe;
  /** Calls the listener when {@link isConnected} has changed. */
  onConnection(listener: () => void): Unsubscribe;
  /** False while activities do not arrive, because the connection is lost. */
  isConnected(): boolean;
  /** Follows the activities of an account from now on: the one that the session acts for. @returns A function that ends this. */
  follow(account: string): Unsubscribe;
}

/**
 * Follows the activities of the account while the tab is visible. All visible tabs share one stream, because a browser opens at most
 * six connections to a server over HTTP/1.1: the tab that has the lock reads the stream, and broadcasts it to the others.
 */
export function createLiveActivities(client: BerthClient): LiveActivities {
  const activityListeners = new Set<(activity: Activity) => void>();
  const resumeListeners = new Set<() => void>();
  const connectionListeners = new Set<() => void>();
  let isConnected = true;
  const receive = (message: Message) => {
    switch (message.is) {
      case 'activity':
        for (const listener of activityListeners) listener(message.activity);
        return;
      case 'begin':
        for (const listener of resumeListeners) listener();
        return;
      case 'connection':
        if (message.isConnected === isConnected) return;
        ({ isConnected } = message);
        for (const listener of connectionListeners) listener();
        return;
      default:
        message satisfies never;
    }
  };
  return {
    onActivity: (listener) => add(activityListeners, listener),
    onResume: (listener) => add(resumeListeners, listener),
    onConnection: (listener) => add(connectionListeners, listener),
    isConnected: () => isConnected,
    follow(account) {
      let stream: AbortController | null = null;
      const update = () => {
        if (document.visibilityState === 'hidden') {
          stream?.abort();
          stream = null;
        } else if (stream === null) {
          // A tab that was hidden may have missed activities, even if another tab has kept the stream open.
          receive({ is: 'begin' });
          stream = new AbortController();
          void shareStream(client, `${CHANNEL}-${account}`, stream.signal, receive);
        }
      };
      update();
      document.addEventListener('visibilitychange', update);
      return () => {
        document.removeEventListener('visibilitychange', update);
        stream?.abort();
      };
    },
  };
}

function add<L>(listeners: Set<L>, listener: L): Unsubscribe {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Receives the messages of the tab that reads the stream, and reads the stream once this tab has the lock. */
async function shareStream(
  client: BerthClient,
  name: string,
  signal: AbortSignal,
  receive: (message: Message) => void,
) {
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => receive(data));
  signal.addEventListener('abort', () => channel.close());
  const emit = (message: Message) => {
    receive(message);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a broadcast channel has no target
    channel.postMessage(message);
  };
  const read = () => readStream(client, signal, emit);
  // Browsers have locks only on secure origins.
  if (!('locks' in navigator)) return read();
  return navigator.locks.request(name, { signal }, read).catch(() => {});
}

/** Reads the stream until the signal aborts. */
async function readStream(client: BerthClient, signal: AbortSignal, emit: (message: Message) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      // Only people who are signed in need the code of streams.
      const { followActivities } = await import('@berth/client/follow-activities');
      const emitConnection = (isConnected: boolean) => emit({ is: 'connection', isConnected });
      const onBegin = () => {
        emitConnection(true);
        emit({ is: 'begin' });
      };
      const activities = followActivities(client, signal, { onBegin, onConnection: emitConnection });
      for await (const activity of activities) emit({ is: 'activity', activity });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ClientError && error.kind === 'signed-out') reportSessionChange();
      else emit({ is: 'connection', isConnected: false });
      await pause(RETRY_MS, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
