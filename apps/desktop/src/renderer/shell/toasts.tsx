import './toasts.css';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Problem } from '../../shared/problem.ts';
import { Button, IconButton } from '../components/button.tsx';
import type { ToastAction } from '../state/shell.ts';
import type { Store } from '../state/store.ts';
import { withFile } from '../text/folder.ts';

const MAX_TOASTS = 4;
const SHOWN_MS = 5_000;

interface Toast {
  id: number;
  text: string;
  problem: Problem | null;
  action: ToastAction | undefined;
}

/** Keeps at most {@link MAX_TOASTS} toasts. Removes the oldest message first, and a problem only if all toasts are problems. */
export function useToasts({ onProblem }: Store) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const lastId = useRef(0);
  const showToast = useCallback((content: string | Problem, action?: ToastAction) => {
    const [text, problem] = typeof content === 'string' ? [content, null] : [content.message, content];
    const toast: Toast = { id: ++lastId.current, text, problem, action };
    setToasts((before) => {
      // A repeated text replaces the earlier toast.
      const allToasts = [...before.filter(({ text }) => text !== toast.text), toast];
      if (allToasts.length <= MAX_TOASTS) return allToasts;
      const removedToast = allToasts.find(({ problem }) => problem === null) ?? allToasts[0];
      return allToasts.filter((each) => each !== removedToast);
    });
  }, []);
  const dismiss = useCallback((id: number) => setToasts((before) => before.filter((toast) => toast.id !== id)), []);
  useEffect(() => onProblem(({ problem }) => showToast(problem)), [onProblem, showToast]);
  return { toasts, showToast, dismiss };
}

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
  useEffect(() => {
    if (isProblem) return;
    const timer = setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isProblem, id, dismiss]);
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
