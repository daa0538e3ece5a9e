import { createContext, use, useSyncExternalStore } from 'react';
import type { AppState, DesktopApi } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';

/** What the page knows of the app: nothing yet, why it cannot know, or everything. */
export type Known = { is: 'loading' } | { is: 'failed'; problem: Problem } | { is: 'ready'; state: AppState };

/** What the app said last. The page keeps no copy that it changes itself. */
export interface Store {
  get(): Known;
  /** @returns what stops the listening. */
  subscribe(listener: () => void): () => void;
}

const SLICES = ['publishings', 'folders', 'session', 'settings', 'update'] as const;

/**
 * Listens to the app, and asks it for the state.
 *
 * A slice that was told before the answer came wins over the answer: every later change would have been told as well.
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

/** The state with a part of it told anew. */
function follow(state: AppState, slice: Partial<AppState>): AppState {
  const next = { ...state, ...slice };
  return {
    ...next,
    publishings: keepSame(state.publishings, next.publishings),
    folders: keepSame(state.folders, next.folders),
  };
}

/** What is told whole is told as a copy: what did not change stays the same object, so that only the rest is drawn anew. */
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

/** What is known, and every change of it. */
export function useKnown(): Known {
  const store = use(StoreContext)!;
  return useSyncExternalStore(store.subscribe, store.get);
}

/** A part of the state; only a change of that part draws anew. For what is below the ready window. */
export function useApp<K extends keyof AppState>(slice: K): AppState[K] {
  const store = use(StoreContext)!;
  return useSyncExternalStore(store.subscribe, () => {
    const known = store.get();
    if (known.is !== 'ready') throw new Error('The window is drawn once the state is known.');
    return known.state[slice];
  });
}
