import { basename } from 'node:path';
import { onDriveWithin } from '@berth/client';
import type { Question } from '../../shared/publishing.ts';
import { approve } from '../approval/approve.ts';
import { ANSWER_WITHIN_MS } from '../drive-limits.ts';
import type { Grants } from '../grants.ts';
import { problemOf } from '../problem.ts';
import type { Entry, Source } from './entry.ts';
import type { PublishingList } from './publishing-list.ts';
import type { PublishQueue } from './publish-queue.ts';
import { namesOf } from './staging.ts';
import type { ThrottledEvent } from './throttled-event.ts';

export interface DropCheckOptions {
  list: PublishingList;
  queue: Pick<PublishQueue, 'add'>;
  listEvent: ThrottledEvent;
  /** Makes the grants of suggested folders. */
  grants: Grants;
}

/** Checks drops before they enter the queue. The only other way into the queue is to be in it when the app ends. */
export class DropCheck {
  readonly #options: DropCheckOptions;
  #isClosed = false;

  constructor(options: DropCheckOptions) {
    this.#options = options;
  }

  /**
   * Checks a publishing, then queues it or asks the user. It fails if the drive does not answer. It can be cancelled meanwhile.
   * Does not throw.
   */
  async check(id: string): Promise<void> {
    const { list, listEvent, grants } = this.#options;
    const entry = this.#find(id);
    if (!entry) return;
    try {
      const source = await this.#resolveSource(entry);
      this.#proceed(id, await questionOf({ ...entry, source }, grants));
    } catch (thrown) {
      if (!this.#find(id)) return;
      list.change(id, { state: { is: 'failed', problem: problemOf(thrown), at: Date.now() } });
      listEvent.emitNow();
    }
  }

  /** Queues a publishing that the user has confirmed. */
  confirm(id: string): void {
    this.#options.list.change(id, { sure: true });
    this.#proceed(id, null);
  }

  /** Makes running checks have no effect. */
  close(): void {
    this.#isClosed = true;
  }

  /** `null` after `close`, and once the publishing is dismissed, cancelled or confirmed. */
  #find(id: string): Entry | null {
    const found = this.#options.list.entries().find((entry) => entry.id === id);
    return !this.#isClosed && found?.state.is === 'asking' ? found : null;
  }

  #proceed(id: string, question: Question | null): void {
    const { list, queue, listEvent } = this.#options;
    const entry = this.#find(id);
    if (!entry) return;
    list.update(id, { question });
    if (!question) {
      list.change(id, { state: { is: 'unfinished' } });
      queue.add(id, entry.server);
    }
    listEvent.emitNow();
  }

  /** Finds out if a path is a folder or a file. Only then is the kind certain, because the drive may not have answered before. */
  async #resolveSource({ id, source }: Entry): Promise<Source> {
    const { list } = this.#options;
    if (source.kind === 'files') return source;
    const { path } = source;
    return onDriveWithin(path, ANSWER_WITHIN_MS, async (stats) => {
      if (stats?.isFile() !== true) {
        list.update(id, { exists: stats?.isDirectory() === true });
        return source;
      }
      const file: Source = { kind: 'files', paths: [path], staged: false };
      if (this.#find(id)) list.change(id, { source: file });
      return file;
    });
  }
}

/** The question to ask before publishing; `null` if the content looks right or the user has confirmed it. */
async function questionOf({ source, sure, pasted }: Entry, grants: Grants): Promise<Question | null> {
  if (sure) return null;
  const question =
    source.kind === 'files' ? questionOfFiles(source.paths) : await questionOfFolder(source.path, grants);
  if (question) return question;
  return pasted === true ? { about: 'pasted', suggestions: [] } : null;
}

function questionOfFiles(paths: readonly string[]): Question | null {
  const hasPage = paths.length === 1 || namesOf(paths).has('index.html');
  return hasPage ? null : { about: 'no-front-page', suggestions: [] };
}

async function questionOfFolder(path: string, grants: Grants): Promise<Question | null> {
  const { question } = await approve(path, grants);
  return question && { about: question.about, suggestions: question.suggestions };
}

/** The name of a publishing: that of its folder or single file, or the number of files. */
export function nameOf(source: Source): string {
  if (source.kind === 'folder') return basename(source.path) || source.path;
  const [first = ''] = source.paths;
  return source.paths.length === 1 ? basename(first) : `${source.paths.length} files`;
}
