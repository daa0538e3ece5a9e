import { createContext, use, useCallback, useMemo, useRef, useState } from 'react';
import type { Answer, Problem } from '../backend.ts';

const MAX_TOASTS = 4;

export interface ToastAction {
  label: string;
  run: () => void;
}

/** A message for a few seconds, or a problem until the user dismisses it. */
export interface Toast {
  id: number;
  text: string;
  problem: Problem | null;
  action: ToastAction | undefined;
}

/** The functions that show a toast from any component. */
export interface Notes {
  showToast(content: string | Problem, action?: ToastAction): void;
  /** Awaits an answer and shows its problem, if any, as a toast. @returns The value; `null` after a problem. */
  ask<T>(request: Promise<Answer<T>>): Promise<{ value: T } | null>;
}

export const NotesContext = createContext<Notes | null>(null);

export function useNotes(): Notes {
  return use(NotesContext)!;
}

/** Keeps at most {@link MAX_TOASTS} toasts. Removes the oldest message first, and a problem only if all toasts are problems. */
export function useToasts() {
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
  const notes = useMemo(() => ({ showToast, ask: askWith(showToast) }), [showToast]);
  return { toasts, dismiss, notes };
}

function askWith(showToast: Notes['showToast']): Notes['ask'] {
  return async (request) => {
    const answer = await request;
    if (answer.ok) return answer;
    showToast(answer.problem);
    return null;
  };
}
