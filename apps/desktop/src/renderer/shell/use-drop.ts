import { useEffect, useRef, useState } from 'react';

/** Where something hangs over the window: nowhere, or over a half of it. */
export type Hover = 'none' | 'left' | 'right';

/** How files came: by a drop on a half of the window, or from the clipboard. */
export type Way = 'left' | 'right' | 'pasted';

/** Where a paste is for what has the focus, not for the window. */
const OWN_PASTE = 'input, textarea, dialog, [contenteditable]:not([contenteditable="false" i])';

/** Listens to the whole window for files that are dropped or pasted. @returns where they hang at the moment. */
export function useDrop(onFiles: (files: File[], way: Way) => void): Hover {
  const [hover, setHover] = useState<Hover>('none');
  const latest = useRef(onFiles);
  latest.current = onFiles;

  useEffect(() => {
    // Where there is a dialog, all else is dead to the pointer: the place is told by the numbers, not by the element.
    const half = ({ clientX }: DragEvent) => (clientX < window.innerWidth / 2 ? 'left' : 'right');
    const onDrag = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = 'copy';
      setHover(half(event));
    };
    const onLeave = (event: DragEvent) => {
      // Without an element that it goes to, it leaves the window.
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
