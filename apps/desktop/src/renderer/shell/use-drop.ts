import { useEffect, useRef, useState } from 'react';

/** The half of the window that files are dragged over, or `none`. */
export type Hover = 'none' | 'left' | 'right';

/** How files were given: by a drop on one half of the window, or from the clipboard. */
export type Way = 'left' | 'right' | 'pasted';

/** Elements that handle a paste themselves. */
const OWN_PASTE = 'input, textarea, dialog, [contenteditable]:not([contenteditable="false" i])';

/** Calls `onFiles` for files that are dropped or pasted anywhere on the window. @returns The half that files are dragged over. */
export function useDrop(onFiles: (files: File[], way: Way) => void): Hover {
  const [hover, setHover] = useState<Hover>('none');
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
      if (event.relatedTarget === null) setHover('none');
    };
    const onDrop = (event: DragEvent) => {
      setHover('none');
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
