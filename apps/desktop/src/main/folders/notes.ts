import type { EventData } from '../../shared/contract.ts';
import type { WatchedFolder } from '../../shared/folder.ts';
import type { Session } from '../../shared/session.ts';
import { blockingProblem } from '../../shared/blocking-problem.ts';
import type { Tell } from '../backend.ts';
import type { Native } from '../native.ts';
import { createNoter, type NoterParts } from '../noter.ts';

export interface NotesOptions extends NoterParts {
  native: NoterParts['native'] & Pick<Native, 'showWindow'>;
  /** Checks an address and opens it in the browser. */
  openLink(url: string): void;
  tell: Tell;
}

/** Shows system notifications about watched folders. */
export interface Notes {
  /** Reports that a folder has changed. */
  folder(before: WatchedFolder, now: WatchedFolder): void;
  /** Reports that the session has changed. */
  session(session: Session, folders: readonly WatchedFolder[]): void;
}

/**
 * Notifies the user, while the window is not in front, when a folder was published, when a folder needs the user to act, and,
 * once for all folders of a server, when its key is no longer valid. A click opens the site or shows what to do.
 *
 * Source: design of the desktop app, §8.
 */
export function createNotes({ native, openLink, wanted, tell }: NotesOptions): Notes {
  const refused = new Set<string>();

  const note = createNoter({ native, wanted });

  const show = (where: EventData<'navigate'>) => (): void => {
    native.showWindow();
    tell('navigate', where);
  };

  return {
    folder(before, { id, name, domain, url, state, live, needsDns }) {
      const toFolder = show({ page: 'folders', id });
      // `live` can also change when it is read from the server, without a deploy.
      if (before.state.is === 'publishing' && state.is === 'live' && live !== null) {
        if (url === null || needsDns)
          return note(`${name} is published`, `${domain} shows it once its DNS records are there.`, toFolder);
        return note(`${name} is live`, url, () => openLink(url));
      }
      const trouble = blockingProblem(state);
      if (trouble !== null && blockingProblem(before.state) === null)
        note(`${name} was not published`, trouble.message, toFolder);
    },
    session({ servers }, folders) {
      for (const { origin, signIn } of servers) {
        if (signIn.is !== 'refused') refused.delete(origin);
        else if (
          !refused.has(origin) &&
          folders.some(({ server, state }) => server === origin && state.is !== 'paused')
        ) {
          refused.add(origin);
          note('Sign in again', `${origin} does not take your key any more.`, show({ page: 'settings' }));
        }
      }
    },
  };
}
