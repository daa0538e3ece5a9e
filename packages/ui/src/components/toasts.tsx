import './toasts.css';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect } from 'react';
import type { Toast } from '../state/toasts.ts';
import { withFile } from '../text/files.ts';
import { Button, IconButton } from './button.tsx';

const SHOWN_MS = 5_000;
/** A message that offers an action stays long enough to read it and to reach its button. */
const SHOWN_WITH_ACTION_MS = 15_000;

export function Toasts({ toasts, dismiss }: { toasts: readonly Toast[]; dismiss: (id: number) => void }) {
  return (
    <div className="toasts" aria-label="Messages" role="region">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} dismiss={dismiss} />
      ))}
    </div>
  );
}

function ToastCard({ toast, dismiss }: { toast: Toast; dismiss: (id: number) => void }) {
  const { id, text, problem, action } = toast;
  const isProblem = problem !== null;
  const hasAction = action !== undefined;
  useEffect(() => {
    if (isProblem) return;
    const timer = setTimeout(() => dismiss(id), hasAction ? SHOWN_WITH_ACTION_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isProblem, hasAction, id, dismiss]);
  const Icon = problem ? CircleAlert : CircleCheck;
  return (
    <div className={problem ? 'toast is-bad' : 'toast'} role={problem ? 'alert' : 'status'}>
      <Icon size={16} aria-hidden />
      <div>
        <p>{problem ? withFile(problem) : text}</p>
        {problem?.next && <p className="soft">{problem.next}</p>}
        {action && (
          <Button
            label={action.label}
            small
            onClick={() => {
              dismiss(id);
              action.run();
            }}
          />
        )}
      </div>
      <IconButton icon={X} label="Dismiss message" onClick={() => dismiss(id)} />
    </div>
  );
}
