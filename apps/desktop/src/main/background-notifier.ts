import type { Native } from './native.ts';

export interface BackgroundNotifierOptions {
  native: Pick<Native, 'notify' | 'isFocused'>;
  /** True if the user has enabled notifications. */
  wanted(): boolean;
}

/** Shows a system notification if they are enabled and the window is not in front. Does not throw. */
export type BackgroundNotifier = (title: string, body: string, onClick: () => void) => void;

/** Source: desktop §8.14. */
export function createBackgroundNotifier({ native, wanted }: BackgroundNotifierOptions): BackgroundNotifier {
  return (title, body, onClick) => {
    if (native.isFocused() || !wanted()) return;
    try {
      native.notify({ title, body, onClick });
    } catch {
      // The system cannot show notifications. The window shows the same information.
    }
  };
}
