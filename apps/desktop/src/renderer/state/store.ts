import { createContext, use, useSyncExternalStore } from 'react';
import type { AppState, DesktopApi } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';

/** The app state as the page knows it: loading, failed, or ready. */
export type Known = { is: 'loading' } | { is: 'failed'; problem: Problem } | { is: 'ready'; state: AppState };

/** The last state that the app reported. The page never changes it itself. */
export interface Store {
  get(): Known;
  /** @returns A function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

const SLICES = ['publishings', 'folders', 'session', 'settings', 'update'] as const;

/**
 * Subscribes to the app's events and reads its state.
 *
 * A slice that an event reports before the answer arrives wins over the answer: events report every change, so it is at least as new.
 */
export function openStore(desktop: DesktopApi): Store {
  const listeners = new Set<() => void>();
  let told: Partial<AppState> = {};
  let known: Known = { is: 'loading' };

  const become = (next: Known) => {
    known = next;
    for (const listener of listeners) listener();
  };
  const tell = (slice: Partial<AppState>) => {
    told = { ...told, ...slice };
    if (known.is === 'ready') become({ is: 'ready', state: follow(known.state, slice) });
  };

  for (const name of SLICES) desktop.events[name]((data) => tell({ [name]: data }));
  void desktop.commands
    .readState()
    .then((answer) =>
      become(
        answer.ok ? { is: 'ready', state: { ...answer.value, ...told } } : { is: 'failed', problem: answer.problem },
      ),
    );

  return {
    get: () => known,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Merges reported slices into the state. */
function follow(state: AppState, slice: Partial<AppState>): AppState {
  const next = { ...state, ...slice };
  return {
    ...next,
    publishings: keepSame(state.publishings, next.publishings),
    folders: keepSame(state.folders, next.folders),
  };
}

/** Lists arrive as fresh copies. Keeps the identity of unchanged items, so that only changed ones render again. */
function keepSame<T extends { id: string }>(before: T[], told: T[]): T[] {
  if (before === told) return before;
  const known = new Map(before.map((item) => [item.id, item]));
  const kept = told.map((item) => {
    const old = known.get(item.id);
    return old !== undefined && JSON.stringify(old) === JSON.stringify(item) ? old : item;
  });
  return kept.length === before.length && kept.every((item, index) => item === before[index]) ? before : kept;
}

export const StoreContext = createContext<Store | null>(null);

/** The app state as the page knows it; renders again on every change. */
export function useKnown(): Known {
  const store = use(StoreContext)!;
  return useSyncExternalStore(store.subscribe, store.get);
}

/** One slice of the state; renders again only when this slice changes. @throws Error outside a ready window. */
export function useApp<K extends keyof AppState>(slice: K): AppState[K] {
  const store = use(StoreContext)!;
  return useSyncExternalStore(store.subscribe, () => {
    const known = store.get();
    if (known.is !== 'ready') throw new Error('The window is drawn once the state is known.');
    return known.state[slice];
  });
}
