import type { BerthClient } from '@berth/client/browser';
import type { Activity } from '@berth/contract';
import type { Unsubscribe } from '@berth/ui/backend';

const CHANNEL = 'berth-activities';
/** How long to wait before a stream that failed is opened again, in milliseconds. */
const RETRY_MS = 15_000;

type Message = { is: 'activity'; activity: Activity } | { is: 'begin' };

/** The activities of the account as they happen. */
export interface LiveActivities {
  onActivity(listener: (activity: Activity) => void): Unsubscribe;
  /** Calls the listener when activities arrive again after a gap. */
  onResume(listener: () => void): Unsubscribe;
  /** Follows the activities of the account from now on. @returns A function that ends this. */
  follow(): Unsubscribe;
}

/**
 * Follows the activities of the account while the tab is visible. All visible tabs share one stream, because a browser opens at most
 * six connections to a server over HTTP/1.1: the tab that has the lock reads the stream, and broadcasts it to the others.
 */
export function createLiveActivities(client: BerthClient): LiveActivities {
  const activityListeners = new Set<(activity: Activity) => void>();
  const resumeListeners = new Set<() => void>();
  const receive = (message: Message) => {
    if (message.is === 'begin') for (const listener of resumeListeners) listener();
    else for (const listener of activityListeners) listener(message.activity);
  };
  return {
    onActivity: (listener) => add(activityListeners, listener),
    onResume: (listener) => add(resumeListeners, listener),
    follow() {
      let stream: AbortController | null = null;
      const update = () => {
        if (document.visibilityState === 'hidden') {
          stream?.abort();
          stream = null;
        } else if (stream === null) {
          // A tab that was hidden may have missed activities, even if another tab has kept the stream open.
          receive({ is: 'begin' });
          stream = new AbortController();
          void shareStream(client, stream.signal, receive);
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
async function shareStream(client: BerthClient, signal: AbortSignal, receive: (message: Message) => void) {
  const channel = new BroadcastChannel(CHANNEL);
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
  return navigator.locks.request(CHANNEL, { signal }, read).catch(() => {});
}

/** Reads the stream until the signal aborts. */
async function readStream(client: BerthClient, signal: AbortSignal, emit: (message: Message) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      // Only people who are signed in need the code of streams.
      const { followActivities } = await import('@berth/client/follow-activities');
      const activities = followActivities(client, signal, { onBegin: () => emit({ is: 'begin' }) });
      for await (const activity of activities) emit({ is: 'activity', activity });
    } catch {
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
