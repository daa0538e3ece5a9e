import './drop-overlay.css';
import { Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type Gathered, gatherDrop, gatherFiles } from './gather.ts';

/** Selects the elements that handle a paste themselves. */
const PASTE_TARGETS = 'input, textarea, dialog, [contenteditable]:not([contenteditable="false" i])';

interface DropOverlayProps {
  /** Called for a drop or a paste; `null` if it has nothing to publish. */
  onGathered: (gathered: Gathered | null, isPasted: boolean) => void;
}

/** Covers the page while files are dragged over it, and takes what is dropped or pasted anywhere on it. */
export function DropOverlay({ onGathered }: DropOverlayProps) {
  const [isOver, setOver] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  const latest = useRef(onGathered);
  latest.current = onGathered;

  useEffect(() => {
    const onDrag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      // An event without a related target means that the drag has left the window.
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setOver(false);
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      void gatherDrop(event.dataTransfer).then((gathered) => latest.current(gathered, false));
    };
    const onPaste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      const isHandled = event.target instanceof Element && event.target.closest(PASTE_TARGETS) !== null;
      if (files.length === 0 || isHandled) return;
      event.preventDefault();
      latest.current(gatherFiles(files), true);
    };
    const listening = new AbortController();
    const { signal } = listening;
    addEventListener('dragenter', onDrag, { signal });
    addEventListener('dragover', onDrag, { signal });
    addEventListener('dragleave', onLeave, { signal });
    addEventListener('drop', onDrop, { signal });
    addEventListener('paste', onPaste, { signal });
    return () => listening.abort();
  }, []);
  useEffect(() => {
    // Only a popover can cover a dialog, because both are in the top layer.
    if (isOver) ref.current!.showPopover();
    else ref.current!.hidePopover();
  }, [isOver]);

  return (
    <div ref={ref} popover="manual" className="drop-overlay" role="status">
      {isOver && (
        <div>
          <Upload size={32} strokeWidth={1.6} aria-hidden />
          <strong>Drop to publish</strong>
          <span className="soft">The link is copied when the site is live.</span>
        </div>
      )}
    </div>
  );
}
