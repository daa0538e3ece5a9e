import type { Native } from './native.ts';

export interface NoterParts {
  native: Pick<Native, 'notify' | 'isLookedAt'>;
  /** Whether the user wants any. */
  wanted(): boolean;
}

/** Shows a message of the system, while the user wants any and does not look at the window. It does not throw. */
export type Noter = (title: string, body: string, onClick: () => void) => void;

/** Source: design of the desktop app, §8, 14. */
export function createNoter({ native, wanted }: NoterParts): Noter {
  return (title, body, onClick) => {
    if (native.isLookedAt() || !wanted()) return;
    try {
      native.notify({ title, body, onClick });
    } catch {
      // A system that shows no messages: the window tells the same.
    }
  };
}
