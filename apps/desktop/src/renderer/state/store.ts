import { createContext, use, useSyncExternalStore } from 'react';
import type { AppState, DesktopApi } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';

/** The app state as the page has it: loading, failed, or ready. */
type Snapshot = { is: 'loading' } | { is: 'failed'; problem: Problem } | { is: 'ready'; state: AppState };

/** The last state that the app reported. The page never changes it itself. */
export type Store = ReturnType<typeof openStore>;

const SLICES = ['publishings', 'folders', 'session', 'settings', 'update'] as const;

/**
 * Subscribes to the app's events and reads its state.
 *
 * A slice that an event reports before the answer arrives wins over the answer: events report every change, so it is at least as new.
 * Events that are not part of the state are queued until a component listens: the first may arrive before the window is drawn.
 */
export function openStore(desktop: DesktopApi) {
  const listeners = new Set<() => void>();
  let reported: Partial<AppState> = {};
  let snapshot: Snapshot = { is: 'loading' };

  const publish = (next: Snapshot) => {
    snapshot = next;
    for (const listener of listeners) listener();
  };
  const receive = (slice: Partial<AppState>) => {
    reported = { ...reported, ...slice };
    if (snapshot.is === 'ready') publish({ is: 'ready', state: mergeSlice(snapshot.state, slice) });
  };

  const onProblem = queueUntilListening(desktop.events.problem);
  const onNavigate = queueUntilListening(desktop.events.navigate);
  for (const name of SLICES) desktop.events[name]((data) => receive({ [name]: data }));
  void desktop.commands.readState().then((answer) => {
    if (answer.ok) publish({ is: 'ready', state: { ...answer.value, ...reported } });
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

/** Subscribes now. The first listener gets the events that arrived before it; there is one listener at a time. */
function queueUntilListening<T>(subscribe: Subscribe<T>): Subscribe<T> {
  const queued: T[] = [];
  let current: ((data: T) => void) | null = null;
  subscribe((data) => {
    if (current) current(data);
    else queued.push(data);
  });
  return (listener) => {
    current = listener;
    for (const data of queued.splice(0)) listener(data);
    return () => {
      current = null;
    };
  };
}

function mergeSlice(state: AppState, slice: Partial<AppState>): AppState {
  const next = { ...state, ...slice };
  return {
    ...next,
    publishings: keepIdentity(state.publishings, next.publishings),
    folders: keepIdentity(state.folders, next.folders),
  };
}

/** Lists arrive as fresh copies. Keeps the identity of unchanged items, so that only changed ones render again. */
function keepIdentity<T extends { id: string }>(before: T[], after: T[]): T[] {
  if (before === after) return before;
  const byId = new Map(before.map((item) => [item.id, item]));
  const items = after.map((item) => {
    const old = byId.get(item.id);
    return old !== undefined && JSON.stringify(old) === JSON.stringify(item) ? old : item;
  });
  return items.length === before.length && items.every((item, index) => item === before[index]) ? before : items;
}

export const StoreContext = createContext<Store | null>(null);

export function useStore(): Store {
  return use(StoreContext)!;
}

/** The app state as the page has it; renders again on every change. */
export function useSnapshot(): Snapshot {
  const store = useStore();
  return useSyncExternalStore(store.subscribe, store.get);
}

/** One slice of the state; renders again only when this slice changes. @throws Error outside a ready window. */
export function useAppState<K extends keyof AppState>(slice: K): AppState[K] {
  const store = useStore();
  return useSyncExternalStore(store.subscribe, () => {
    const snapshot = store.get();
    if (snapshot.is !== 'ready') throw new Error('the state must be loaded before a component reads it');
    return snapshot.state[slice];
  });
}
