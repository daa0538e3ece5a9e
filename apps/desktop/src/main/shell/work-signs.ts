import type { BrowserWindow, PowerSaveBlocker } from 'electron';
import type { Summary } from '../backend.ts';

/** The values of a progress bar that is hidden, and of one without an end. */
const HIDDEN = -1;
const INDETERMINATE = 2;

interface WorkSignsOptions {
  powerSaveBlocker: Pick<PowerSaveBlocker, 'start' | 'stop'>;
  window(): Pick<BrowserWindow, 'isDestroyed' | 'setProgressBar'> | null;
}

/** While the app publishes, shows the progress in the taskbar or Dock, and keeps the system from suspending the app. */
export class WorkSigns {
  readonly #options: WorkSignsOptions;
  #blocker: number | null = null;
  #shownProgress = HIDDEN;

  constructor(options: WorkSignsOptions) {
    this.#options = options;
  }

  update({ status, progress }: Pick<Summary, 'progress' | 'status'>): void {
    const { powerSaveBlocker, window } = this.#options;
    const isWorking = status === 'working' || progress !== null;
    if (isWorking) this.#blocker ??= powerSaveBlocker.start('prevent-app-suspension');
    else this.close();
    const shown = isWorking ? (progress ?? INDETERMINATE) : HIDDEN;
    const current = window();
    if (shown === this.#shownProgress || current === null || current.isDestroyed()) return;
    this.#shownProgress = shown;
    current.setProgressBar(shown);
  }

  /** Lets the system suspend the app again. */
  close(): void {
    if (this.#blocker !== null) this.#options.powerSaveBlocker.stop(this.#blocker);
    this.#blocker = null;
  }
}
