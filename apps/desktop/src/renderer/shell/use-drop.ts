import type { Notes } from '@berth/ui/state/toasts';
import { useEffect, useRef, useState } from 'react';
import type { DesktopApi } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';
import type { GivenItem } from '../../shared/publishing.ts';

const NOTHING_DROPPED: Problem = {
  kind: 'folder',
  message: 'There is nothing to publish in this drop.',
  next: 'Drop a folder or files from this computer’s disk.',
  file: null,
};

/** Turns dropped files into grants. Shows a message if the drop has nothing to publish. @returns `null` after a message. */
export async function grantDropped(
  { grant, ask, showToast }: Pick<DesktopApi, 'grant'> & Notes,
  files: readonly File[],
): Promise<GivenItem[] | null> {
  const answer = await ask(grant(files));
  if (answer === null) return null;
  if (answer.value.length > 0) return answer.value;
  showToast(NOTHING_DROPPED);
  return null;
}

type DropHalf = 'left' | 'right';

/** Files that the user dropped or pasted while the window was starting, when it showed no halves. */
export interface EarlyDrop {
  files: File[];
  target: 'left' | 'pasted';
}

const NONE: EarlyDrop[] = [];

/** Selects the elements that handle a paste themselves. */
const PASTE_TARGETS = 'input, textarea, dialog, [contenteditable]:not([contenteditable="false" i])';

/**
 * Calls `onFiles` for files that the user drops or pastes in the window.
 *
 * @param early What was dropped before the component was shown. It is handled first, and removed from the array.
 * @returns The half over which the user drags files.
 */
export function useDrop(
  onFiles: (files: File[], target: DropHalf | 'pasted') => void,
  early: EarlyDrop[] = NONE,
): DropHalf | null {
  const [hover, setHover] = useState<DropHalf | null>(null);
  const latestOnFiles = useRef(onFiles);
  latestOnFiles.current = onFiles;

  useEffect(() => {
    for (const { files, target } of early.splice(0)) latestOnFiles.current(files, target);
  }, [early]);

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
