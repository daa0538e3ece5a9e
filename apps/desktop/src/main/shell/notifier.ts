import type { Notification } from 'electron';
import type { Note } from '../native.ts';

/** The max number of notifications that are kept on systems that do not report when one is closed. */
const MOST_KEPT = 50;

/** The parts of Electron's `Notification` that the app uses. */
export interface Notes {
  new (options: { title: string; body: string; silent: boolean }): Pick<Notification, 'on' | 'show'>;
  isSupported(): boolean;
}

/**
 * Shows silent system notifications. Keeps a reference to each until it is closed; otherwise it could be garbage-collected and
 * its click would be lost.
 */
export function createNotifier(Notes: Notes): (note: Note) => void {
  const shown = new Set<Pick<Notification, 'on' | 'show'>>();
  return ({ title, body, onClick }) => {
    if (!Notes.isSupported()) return;
    const note = new Notes({ title, body, silent: true });
    const forget = () => void shown.delete(note);
    note.on('click', () => {
      forget();
      onClick();
    });
    // After a timeout, Windows moves a notification to its action center, where it can still be clicked.
    note.on('close', ({ reason }) => void (reason === 'timedOut' || forget()));
    note.on('failed', forget);
    shown.add(note);
    const [oldest] = shown;
    if (shown.size > MOST_KEPT && oldest !== undefined) shown.delete(oldest);
    note.show();
  };
}
