import './confirm.css';
import { type ReactNode, useId, useState } from 'react';
import { Button } from './button.tsx';

/** Asks in place, before something that cannot be undone. Escape is No, and No has the focus. */
export function Confirm({
  question,
  yes,
  no = 'Keep',
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
        // A dialog around it stays open.
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
