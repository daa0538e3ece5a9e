import './drop-overlay.css';
import { FolderSync, Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Problem } from '../../shared/problem.ts';
import { useAccount } from '../state/account.ts';
import { useShell } from '../state/shell.ts';

/** Covers the window while files are dragged over it, and shows what a drop on each half does. */
export function DropOverlay() {
  const { grant, ask, showToast, publish, watch } = useShell();
  const { hasKey } = useAccount();
  const ref = useRef<HTMLDivElement>(null);

  const hover = useDrop(async (dropped, way) => {
    const granted = await ask(grant(dropped));
    if (granted === null) return;
    const grantedItems = granted.value;
    if (grantedItems.length === 0) return showToast(NOTHING_DROPPED);
    if (way === 'pasted') return publish(grantedItems, { pasted: true });
    if (!hasKey || way === 'left') return publish(grantedItems);
    const files = grantedItems.filter(({ kind }) => kind === 'file');
    if (files.length > 0) showToast(ONLY_FOLDERS, { label: 'Publish once', run: () => void publish(files) });
    watch(grantedItems.filter(({ kind }) => kind !== 'file').map(({ name, grant }) => ({ name, of: { grant } })));
  });

  const isOver = hover !== null;
  useEffect(() => {
    // A popover is in the top layer; elsewhere a dialog would hide it.
    if (isOver) ref.current!.showPopover();
    else ref.current!.hidePopover();
  }, [isOver]);

  const zone = (isActive: boolean, Icon: typeof Upload, title: string, text: string) => (
    <div className={isActive ? 'drop-zone is-active' : 'drop-zone'}>
      <Icon size={32} strokeWidth={1.6} aria-hidden />
      <strong>{title}</strong>
      <span>{text}</span>
    </div>
  );
  return (
    <div ref={ref} popover="manual" className="drop-overlay" role="status">
      {isOver && !hasKey && zone(true, Upload, 'Drop to publish', 'The link is copied when the site is live')}
      {isOver && hasKey && (
        <>
          {zone(hover === 'left', Upload, 'Publish once', 'A new link to the current contents')}
          {zone(hover === 'right', FolderSync, 'Publish and watch', 'One address, kept up to date')}
        </>
      )}
    </div>
  );
}

const NOTHING_DROPPED: Problem = {
  kind: 'folder',
  message: 'There is nothing to publish in this drop.',
  next: 'Drop a folder or files from this computer’s disk.',
  file: null,
};
const ONLY_FOLDERS: Problem = {
  kind: 'folder',
  message: 'Only folders can be watched.',
  next: 'You can publish the files once.',
  file: null,
};

/** The half of the window that files are dragged over or dropped on. */
type Half = 'left' | 'right';

/** Elements that handle a paste themselves. */
const OWN_PASTE = 'input, textarea, dialog, [contenteditable]:not([contenteditable="false" i])';

/** Calls `onFiles` for files that are dropped or pasted anywhere on the window. @returns The half that files are dragged over. */
function useDrop(onFiles: (files: File[], way: Half | 'pasted') => void): Half | null {
  const [hover, setHover] = useState<Half | null>(null);
  const latest = useRef(onFiles);
  latest.current = onFiles;

  useEffect(() => {
    // Use the coordinates, not the target element: while a modal dialog is open, other elements get no pointer events.
    const half = ({ clientX }: DragEvent) => (clientX < window.innerWidth / 2 ? 'left' : 'right');
    const onDrag = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = 'copy';
      setHover(half(event));
    };
    const onLeave = (event: DragEvent) => {
      // Without a related target the drag has left the window.
      if (event.relatedTarget === null) setHover(null);
    };
    const onDrop = (event: DragEvent) => {
      setHover(null);
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      latest.current([...event.dataTransfer!.files], half(event));
    };
    const onPaste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      const isOwn = event.target instanceof Element && event.target.closest(OWN_PASTE) !== null;
      if (files.length === 0 || isOwn) return;
      event.preventDefault();
      latest.current(files, 'pasted');
    };
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener('dragenter', onDrag, { signal });
    window.addEventListener('dragover', onDrag, { signal });
    window.addEventListener('dragleave', onLeave, { signal });
    window.addEventListener('drop', onDrop, { signal });
    window.addEventListener('paste', onPaste, { signal });
    return () => listening.abort();
  }, []);
  return hover;
}

function hasFiles(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes('Files') ?? false;
}
