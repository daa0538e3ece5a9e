import './dialog.css';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { useBusy } from '../state/requests.ts';
import { Button, IconButton } from './button.tsx';

/** Focuses a button of a dialog that has no input. @returns The ref for the button. */
export function useFirstFocus(): RefObject<HTMLButtonElement | null> {
  const ref = useRef<HTMLButtonElement>(null);
  // An effect runs after the dialog has opened and taken the focus.
  useEffect(() => ref.current?.focus(), []);
  return ref;
}

/** A modal dialog that focuses its first input. Escape and the close button close the dialog and restore the previous focus. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    // By default the browser would focus the close button.
    dialog.querySelector('input')?.focus();
    // A dialog restores the previous focus only if it is closed before it is removed from the page.
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className="dialog"
      // The dialog takes the focus when a focused element in it is removed.
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
  action: string;
  /** Default: `danger`, for an action that cannot be undone. */
  variant?: 'danger' | 'primary';
  onConfirm: () => unknown;
  onCancel: () => void;
}

/** Asks the user to confirm an action. Cancel has the initial focus, and Escape cancels too. */
export function Confirm({ question, action, variant = 'danger', onConfirm, onCancel }: ConfirmProps) {
  const id = useId();
  const { isBusy, run } = useBusy();
  return (
    <div
      className={variant === 'primary' ? 'confirm is-calm' : 'confirm'}
      role="group"
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        // The default action of Escape would close a surrounding dialog.
        event.preventDefault();
        onCancel();
      }}
    >
      <p id={id} title={question}>
        {question}
      </p>
      <div>
        <Button label="Cancel" small autoFocus onClick={onCancel} />
        <Button label={action} small variant={variant} busy={isBusy} onClick={() => run(onConfirm())} />
      </div>
    </div>
  );
}
