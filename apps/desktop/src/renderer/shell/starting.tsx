import { Empty } from '@berth/ui/components/page';
import { Upload } from 'lucide-react';
import { useEffect } from 'react';
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

/** Discards drops if the user has not chosen a server, so that nothing is published before. */
export function useDiscardBeforeSetup(drops: EarlyDrop[], isSetUp: boolean): void {
  useEffect(() => {
    if (!isSetUp) drops.splice(0);
  }, [drops, isSetUp]);
}
