import { createContext, use, useSyncExternalStore } from 'react';
import type { AppState, DesktopApi } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';

declare global {
  interface Window {
    /** The page's only access to the app. The preload exposes it. */
    readonly desktop: DesktopApi;
  }
}

type Snapshot = { is: 'loading' } | { is: 'failed'; problem: Problem } | { is: 'ready'; state: AppState };

/** Holds the last state that the app reported. The page never changes the state itself. */
export type Store = ReturnType<typeof openStore>;

const SLICES = ['publishings', 'folders', 'siteFolders', 'session', 'settings', 'update'] as const;

/**
 * Subscribes to the app's events and reads its state.
 *
 * If an event reports a slice before the answer arrives, the slice of the event is used, because it is at least as new as the answer.
 * Problems and navigation are not part of the state. They are queued until a component subscribes, because they may arrive before the
 * window is drawn.
 */
export function openStore(desktop: DesktopApi) {
  const listeners = new Set<() => void>();
  let reportedState: Partial<AppState> = {};
  let snapshot: Snapshot = { is: 'loading' };

  const publish = (next: Snapshot) => {
    snapshot = next;
    for (const listener of listeners) listener();
  };
  const receiveSlice = (slice: Partial<AppState>) => {
    reportedState = { ...reportedState, ...slice };
    if (snapshot.is === 'ready') publish({ is: 'ready', state: mergeSlice(snapshot.state, slice) });
  };

  const onProblem = queueUntilListening(desktop.events.problem);
  const onNavigate = queueUntilListening(desktop.events.navigate);
  for (const name of SLICES) desktop.events[name]((data) => receiveSlice({ [name]: data }));
  void desktop.commands.readState().then((answer) => {
    if (answer.ok) publish({ is: 'ready', state: { ...answer.value, ...reportedState } });
    else publish({ is: 'failed', problem: answer.problem });
  });

  return {
    get: () => snapshot,
    onProblem,
    onNavigate,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

type Subscribe<T> = (listener: (data: T) => void) => () => void;

/** Subscribes at once and queues the events for the first listener. There is at most one listener at a time. */
function queueUntilListening<T>(subscribe: Subscribe<T>): Subscribe<T> {
  const queuedItems: T[] = [];
  let current: ((data: T) => void) | null = null;
  subscribe((data) => {
    if (current) current(data);
    else queuedItems.push(data);
  });
  return (listener) => {
    current = listener;
    for (const data of queuedItems.splice(0)) listener(data);
    return () => {
      current = null;
    };
  };
}

function mergeSlice(state: AppState, slice: Partial<AppState>): AppState {
  const nextState = { ...state, ...slice };
  return {
    ...nextState,
    publishings: keepIdentity(state.publishings, nextState.publishings),
    folders: keepIdentity(state.folders, nextState.folders),
  };
}

/** Keeps the identity of unchanged items, because lists arrive as new copies and only changed items should render again. */
function keepIdentity<T extends { id: string }>(before: T[], after: T[]): T[] {
  if (before === after) return before;
  const byId = new Map(before.map((item) => [item.id, item]));
  const items = after.map((item) => {
    const oldItem = byId.get(item.id);
    return oldItem !== undefined && JSON.stringify(oldItem) === JSON.stringify(item) ? oldItem : item;
  });
  return items.length === before.length && items.every((item, index) => item === before[index]) ? before : items;
}

export const StoreContext = createContext<Store | null>(null);

export function useStore(): Store {
  return use(StoreContext)!;
}

/** Returns whether the app state is loading, failed or ready. Renders again on every change. */
export function useSnapshot(): Snapshot {
  const store = useStore();
  return useSyncExternalStore(store.subscribe, store.get);
}

/** Returns one slice of the state. Renders again only when this slice changes. @throws Error while the state is not loaded. */
export function useAppState<K extends keyof AppState>(slice: K): AppState[K] {
  const store = useStore();
  return useSyncExternalStore(store.subscribe, () => {
    const snapshot = store.get();
    if (snapshot.is !== 'ready') throw new Error('the state must be loaded before a component reads it');
    return snapshot.state[slice];
  });
}
