import './drop-overlay.css';
import { FolderSync, Upload } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useAccount } from '../state/account.ts';
import { useShell } from '../state/shell.ts';
import { useDrop } from './use-drop.ts';

/** Covers the window while files are dragged over it, and shows what a drop on each half does. */
export function DropOverlay() {
  const { desktop, ask, showToast, publish, watch } = useShell();
  const { hasKey } = useAccount();
  const ref = useRef<HTMLDivElement>(null);

  const hover = useDrop(async (dropped, way) => {
    const granted = await ask(desktop.grant(dropped));
    if (granted === null) return;
    const grantedItems = granted.value;
    if (grantedItems.length === 0) return showToast(NOTHING_DROPPED);
    if (way === 'pasted') return publish(grantedItems, { pasted: true });
    if (!hasKey || way === 'left') return publish(grantedItems);
    const files = grantedItems.filter(({ kind }) => kind === 'file');
    if (files.length > 0)
      showToast({ ...ONLY_FOLDERS, action: { label: 'Publish once', run: () => void publish(files) } });
    watch(grantedItems.filter(({ kind }) => kind !== 'file').map(({ name, grant }) => ({ name, of: { grant } })));
  });

  const isOver = hover !== 'none';
  useEffect(() => {
    // A popover is in the top layer; elsewhere a dialog would hide it.
    if (isOver) ref.current!.showPopover();
    else ref.current!.hidePopover();
  }, [isOver]);

  return (
    <div ref={ref} popover="manual" className="drop-overlay" role="status">
      {isOver &&
        (hasKey ? (
          <>
            <Zone
              isActive={hover === 'left'}
              icon={Upload}
              title="Publish once"
              text="A new link to the current contents"
            />
            <Zone
              isActive={hover === 'right'}
              icon={FolderSync}
              title="Publish and watch"
              text="One address, kept up to date"
            />
          </>
        ) : (
          <Zone isActive icon={Upload} title="Drop to publish" text="The link is copied when the site is live" />
        ))}
    </div>
  );
}

const NOTHING_DROPPED = {
  text: 'There is nothing to publish in this drop.',
  problem: {
    kind: 'folder' as const,
    message: 'There is nothing to publish in this drop.',
    next: 'Drop a folder or files from this computer’s disk.',
    file: null,
  },
};
const ONLY_FOLDERS = {
  text: 'Only folders can be watched.',
  problem: {
    kind: 'folder' as const,
    message: 'Only folders can be watched.',
    next: 'You can publish the files once.',
    file: null,
  },
};

function Zone({
  isActive,
  icon: Icon,
  title,
  text,
}: {
  isActive: boolean;
  icon: typeof Upload;
  title: string;
  text: string;
}) {
  return (
    <div className={isActive ? 'drop-zone is-active' : 'drop-zone'}>
      <Icon size={32} strokeWidth={1.6} aria-hidden />
      <strong>{title}</strong>
      <span>{text}</span>
    </div>
  );
}
