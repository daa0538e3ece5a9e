import './dialog.css';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { IconButton } from './button.tsx';

/** Gives the focus to a button of a dialog that has no field. @returns for the button. */
export function useFirstFocus(): RefObject<HTMLButtonElement | null> {
  const ref = useRef<HTMLButtonElement>(null);
  // After the dialog around it has opened, which takes the focus.
  useEffect(() => ref.current?.focus(), []);
  return ref;
}

/** A dialog over the window. Its first field has the focus. Escape and its cross close it, and the focus goes back to where it was. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    // A form is there to be typed in; by itself the focus would be at the cross.
    dialog.querySelector('input')?.focus();
    // Closed before it leaves the page, or the focus would be lost.
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className="dialog"
      // Takes the focus of what vanishes in it.
      tabIndex={-1}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        <IconButton icon={X} label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}
