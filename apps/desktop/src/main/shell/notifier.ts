import type { Notification } from 'electron';
import type { Note } from '../native.ts';

/** Systems that never say that a message is gone keep as many as this one alive. */
const MOST_KEPT = 50;

/** What is used of the messages of the system. */
export interface Notes {
  new (options: { title: string; body: string; silent: boolean }): Pick<Notification, 'on' | 'show'>;
  isSupported(): boolean;
}

/**
 * Shows messages of the system, without a sound. A message that nobody holds on to loses its click to the garbage collector,
 * so each is held until it is gone.
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
    // Windows puts away what nobody looked at in time, where it can be clicked still.
    note.on('close', ({ reason }) => void (reason === 'timedOut' || forget()));
    note.on('failed', forget);
    shown.add(note);
    const [oldest] = shown;
    if (shown.size > MOST_KEPT && oldest !== undefined) shown.delete(oldest);
    note.show();
  };
}
