import { Empty } from '@berth/ui/components/page';
import { Upload } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSnapshot } from '../state/store.ts';
import { type EarlyDrop, useDrop } from './use-drop.ts';

interface StartingProps {
  className: string;
  /** Receives what the user drops or pastes, for the component that the window shows next. */
  drops: EarlyDrop[];
}

/** A window before it has the state of the app. It keeps drops, because the user can see the window and drop a folder on it. */
export function Starting({ className, drops }: StartingProps) {
  const hover = useDrop((files, target) => {
    drops.push({ files, target: target === 'pasted' ? target : 'left' });
  });
  return (
    <div className={className} role="status" aria-label="Starting">
      {hover !== null && (
        <Empty icon={Upload} title="Drop to publish" text="It is published as soon as Berth has started." />
      )}
    </div>
  );
}

/**
 * Keeps what is dropped on a window while it is {@link Starting}, for the component that publishes it. Discards it if the user has not
 * chosen a server, so that nothing is published before.
 */
export function useEarlyDrops(): EarlyDrop[] {
  const snapshot = useSnapshot();
  const [drops] = useState<EarlyDrop[]>([]);
  const needsSetup = snapshot.is === 'ready' && !snapshot.state.settings.welcomed;
  useEffect(() => {
    if (needsSetup) drops.splice(0);
  }, [drops, needsSetup]);
  return drops;
}
