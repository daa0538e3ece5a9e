import './dialog.css';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { Button, IconButton } from './button.tsx';

/** Focuses a button of a dialog that has no field. @returns The ref for this button. */
export function useFirstFocus(): RefObject<HTMLButtonElement | null> {
  const ref = useRef<HTMLButtonElement>(null);
  // An effect, so that it runs after the dialog has opened and taken the focus.
  useEffect(() => ref.current?.focus(), []);
  return ref;
}

/** A modal dialog. Focuses its first field. Escape and the close button close it and restore the previous focus. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    // Focus the first field: the browser would focus the close button.
    dialog.querySelector('input')?.focus();
    // Close it before it is removed from the page, or the focus would be lost.
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className="dialog"
      // Takes the focus when a focused element inside is removed.
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

/** The buttons of a form in a dialog: one cancels, the other submits the form. */
export function FormButtons({
  label,
  isBusy,
  isReady,
  onCancel,
}: {
  label: string;
  isBusy: boolean;
  /** Whether the form can be submitted. */
  isReady: boolean;
  onCancel: () => void;
}) {
  return (
    <div className="dialog-foot">
      <Button onClick={onCancel}>Cancel</Button>
      <Button type="submit" variant="primary" busy={isBusy} disabled={!isReady}>
        {label}
      </Button>
    </div>
  );
}
