import './confirm.css';
import { type ReactNode, useId, useState } from 'react';
import { Button } from './button.tsx';

/** Inline confirmation of an action that cannot be undone. No has the initial focus, and Escape means No. */
export function Confirm({
  question,
  yes,
  no = 'Cancel',
  onYes,
  onNo,
}: {
  question: ReactNode;
  yes: string;
  no?: string;
  onYes: () => unknown;
  onNo: () => void;
}) {
  const id = useId();
  const [isBusy, setBusy] = useState(false);
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
      <p id={id} title={typeof question === 'string' ? question : undefined}>
        {question}
      </p>
      <div>
        <Button small autoFocus onClick={onNo}>
          {no}
        </Button>
        <Button
          small
          variant="danger"
          busy={isBusy}
          onClick={async () => {
            setBusy(true);
            await onYes();
            setBusy(false);
          }}
        >
          {yes}
        </Button>
      </div>
    </div>
  );
}
