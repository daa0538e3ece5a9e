import { Announcements } from '@berth/ui/components/announcements';
import type { NextDropOptions } from '@berth/ui/publishing';
import { type NextDrop, NextDropContext } from '@berth/ui/state/next-drop';
import { useNotes } from '@berth/ui/state/toasts';
import { optionsError } from '@berth/ui/text/validate';
import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useSession } from '../state/session.tsx';
import { DropOverlay } from './drop-overlay.tsx';
import type { Drops } from './drops.ts';
import type { Gathered } from './gather.ts';

/** The drops, and the function that publishes something with the options of the next drop. */
interface DropsState {
  drops: Drops;
  publish(gathered: Gathered | null, isPasted: boolean): void;
}

const DropsContext = createContext<DropsState | null>(null);

const NOTHING_DROPPED = {
  kind: 'folder' as const,
  message: 'There is nothing to publish in this drop.',
  next: 'Drop a folder, files or a zip archive from this computer.',
  file: null,
};

/** Takes what is dropped on any page, and keeps the drops while other pages are shown. */
export function DropsProvider({ drops, children }: { drops: Drops; children: ReactNode }) {
  const { session } = useSession();
  const { showToast } = useNotes();
  const { nextDrop, take } = useOptions();
  const isSignedIn = session.is === 'signed-in';
  const isKnown = session.is !== 'loading' && session.is !== 'failed';
  useEffect(() => {
    if (isKnown) void drops.restore(isSignedIn);
  }, [drops, isKnown, isSignedIn]);
  const whenKnown = useWhenKnown(isKnown ? isSignedIn : null);
  const isUnreachable = session.is === 'failed';

  const publish = useCallback(
    (gathered: Gathered | null, isPasted: boolean) => {
      if (gathered === null) return showToast(NOTHING_DROPPED);
      const options = take(isSignedIn);
      if (typeof options === 'string')
        return showToast({ kind: 'refused', message: options, next: 'Correct it, and drop it again.', file: null });
      const isOffline = isUnreachable || !navigator.onLine;
      void drops.publish(gathered, options, { isSignedIn: whenKnown(), isPasted, isOffline });
    },
    [drops, isSignedIn, isUnreachable, showToast, take, whenKnown],
  );
  const state = useMemo(() => ({ drops, publish }), [drops, publish]);
  return (
    <DropsContext value={state}>
      <NextDropContext value={nextDrop}>
        {children}
        <DropOverlay onGathered={publish} />
        <DropAnnouncements drops={drops} />
      </NextDropContext>
    </DropsContext>
  );
}

function DropAnnouncements({ drops }: { drops: Drops }) {
  return <Announcements publishings={useSyncExternalStore(drops.subscribe, drops.get)} />;
}

export function useDrops(): DropsState {
  return use(DropsContext)!;
}

/** Returns a function that returns a value, or a promise of it while it is `null`. */
function useWhenKnown<T>(value: T | null): () => T | Promise<T> {
  const [first] = useState(() => Promise.withResolvers<T>());
  const latest = useRef(value);
  latest.current = value;
  useEffect(() => {
    if (value !== null) first.resolve(value);
  }, [first, value]);
  return useCallback(() => latest.current ?? first.promise, [first]);
}

/** Keeps the options of the next drop. `take` returns them and clears the form, or returns why they are invalid. */
function useOptions() {
  const [options, setOptions] = useState<NextDropOptions>({});
  const [formKey, setFormKey] = useState(0);
  const latest = useRef(options);
  latest.current = options;
  const clear = useCallback(() => {
    setOptions({});
    setFormKey((before) => before + 1);
  }, []);
  const nextDrop = useMemo((): NextDrop => ({ options, formKey, set: setOptions, clear }), [options, formKey, clear]);
  const take = useCallback(
    (isSignedIn: boolean) => {
      if (!isSignedIn) return {};
      const error = optionsError(latest.current);
      if (error !== null) return error;
      clear();
      return latest.current;
    },
    [clear],
  );
  return { nextDrop, take };
}
