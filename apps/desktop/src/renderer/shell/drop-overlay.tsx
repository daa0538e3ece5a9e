import './drop-overlay.css';
import { FolderSync, Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Problem } from '../../shared/problem.ts';
import { useAccount } from '@berth/ui/state/account';
import { useShell } from '../state/shell.ts';

/** Covers the window while files are dragged over it, and shows what a drop on each half does. */
export function DropOverlay() {
  const { grant, ask, showToast, publish, watch } = useShell();
  const { hasAccess } = useAccount();
  const ref = useRef<HTMLDivElement>(null);

  const hover = useDrop(async (dropped, target) => {
    const grantAnswer = await ask(grant(dropped));
    if (grantAnswer === null) return;
    const grantedItems = grantAnswer.value;
    if (grantedItems.length === 0) return showToast(NOTHING_DROPPED);
    if (target === 'pasted') return publish(grantedItems, { pasted: true });
    if (!hasAccess || target === 'left') return publish(grantedItems);
    const files = grantedItems.filter(({ kind }) => kind === 'file');
    if (files.length > 0) showToast(ONLY_FOLDERS, { label: 'Publish once', run: () => void publish(files) });
    watch(grantedItems.filter(({ kind }) => kind !== 'file').map(({ name, grant }) => ({ name, of: { grant } })));
  });

  const isOver = hover !== null;
  useEffect(() => {
    // Only a popover can cover a dialog, because both are in the top layer.
    if (isOver) ref.current!.showPopover();
    else ref.current!.hidePopover();
  }, [isOver]);

  const dropZone = (isActive: boolean, Icon: typeof Upload, title: string, text: string) => (
    <div className={isActive ? 'drop-zone is-active' : 'drop-zone'}>
      <Icon size={32} strokeWidth={1.6} aria-hidden />
      <strong>{title}</strong>
      <span>{text}</span>
    </div>
  );
  return (
    <div ref={ref} popover="manual" className="drop-overlay" role="status">
      {isOver && !hasAccess && dropZone(true, Upload, 'Drop to publish', 'The link is copied when the site is live')}
      {isOver && hasAccess && (
        <>
          {dropZone(hover === 'left', Upload, 'Publish once', 'A new link to the current files')}
          {dropZone(hover === 'right', FolderSync, 'Publish and watch', 'One address, kept up to date')}
        </>
      )}
    </div>
  );
}

const problem = (message: string, next: string): Problem => ({ kind: 'folder', message, next, file: null });
const NOTHING_DROPPED = problem(
  'There is nothing to publish in this drop.',
  'Drop a folder or files from this computer’s disk.',
);
const ONLY_FOLDERS = problem('Only folders can be watched.', 'You can publish the files once.');

type DropHalf = 'left' | 'right';

/** Selects the elements that handle a paste themselves. */
const PASTE_TARGETS = 'input, textarea, dialog, [contenteditable]:not([contenteditable="false" i])';

/** Calls `onFiles` for files that the user drops or pastes in the window. @returns The half over which the user drags files. */
function useDrop(onFiles: (files: File[], target: DropHalf | 'pasted') => void): DropHalf | null {
  const [hover, setHover] = useState<DropHalf | null>(null);
  const latestOnFiles = useRef(onFiles);
  latestOnFiles.current = onFiles;

  useEffect(() => {
    // While a modal dialog is open, other elements get no pointer events, so the coordinates select the half.
    const halfAt = ({ clientX }: DragEvent) => (clientX < window.innerWidth / 2 ? 'left' : 'right');
    const onDrag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      setHover(halfAt(event));
    };
    const onLeave = (event: DragEvent) => {
      // An event without a related target means that the drag has left the window.
      if (event.relatedTarget === null) setHover(null);
    };
    const onDrop = (event: DragEvent) => {
      setHover(null);
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      latestOnFiles.current([...event.dataTransfer.files], halfAt(event));
    };
    const onPaste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      const isHandled = event.target instanceof Element && event.target.closest(PASTE_TARGETS) !== null;
      if (files.length === 0 || isHandled) return;
      event.preventDefault();
      latestOnFiles.current(files, 'pasted');
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
