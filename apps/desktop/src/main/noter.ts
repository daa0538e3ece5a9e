import type { Native } from './native.ts';

export interface NoterParts {
  native: Pick<Native, 'notify' | 'isLookedAt'>;
  /** True if the user has enabled notifications. */
  wanted(): boolean;
}

/** Shows a system notification if they are enabled and the window is not in front. Does not throw. */
export type Noter = (title: string, body: string, onClick: () => void) => void;

/** Source: design of the desktop app, §8, 14. */
export function createNoter({ native, wanted }: NoterParts): Noter {
  return (title, body, onClick) => {
    if (native.isLookedAt() || !wanted()) return;
    try {
      native.notify({ title, body, onClick });
    } catch {
      // The system cannot show notifications. The window shows the same information.
    }
  };
}
