import './dialog.css';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { useBusy } from '../state/requests.ts';
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

interface ConfirmProps {
  question: string;
  yes: string;
  onYes: () => unknown;
  onNo: () => void;
}

/** Inline confirmation of an action that cannot be undone. Cancel has the initial focus, and Escape means Cancel. */
export function Confirm({ question, yes, onYes, onNo }: ConfirmProps) {
  const id = useId();
  const { isBusy, run } = useBusy();
  return (
    <div
      className="confirm"
      role="group"
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        // Keeps a surrounding dialog open.
        event.preventDefault();
        onNo();
      }}
    >
      <p id={id} title={question}>
        {question}
      </p>
      <div>
        <Button small autoFocus onClick={onNo}>
          Cancel
        </Button>
        <Button small variant="danger" busy={isBusy} onClick={() => run(onYes())}>
          {yes}
        </Button>
      </div>
    </div>
  );
}
