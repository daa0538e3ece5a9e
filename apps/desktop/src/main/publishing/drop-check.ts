import { basename, join } from 'node:path';
import { onDriveWithin } from '@berth/client';
import type { Question } from '../../shared/publishing.ts';
import { approve } from '../approval/approve.ts';
import { DRIVE_LIMIT_MS } from '../drive-limits.ts';
import type { Grants } from '../grants.ts';
import { problemOf } from '../problem.ts';
import type { Builds } from '../projects/builds.ts';
import type { Entry, Source } from './entry.ts';
import type { PublishingList } from './publishing-list.ts';
import type { PublishQueue } from './publish-queue.ts';
import { namesOf } from './staging.ts';
import { hasFrontPage, isArchive } from './unzip.ts';
import type { ThrottledEvent } from './throttled-event.ts';

interface DropCheckOptions {
  list: PublishingList;
  queue: Pick<PublishQueue, 'add'>;
  listEvent: ThrottledEvent;
  grants: Grants;
  /** The domain of the site that is published from a folder already; `null` for none. */
  siteAt(server: string, path: string): string | null;
  builds: Pick<Builds, 'isApproved'>;
}

export type DropCheck = ReturnType<typeof createDropCheck>;

/** Checks every new drop before it enters the queue. A publish job that was queued when the app quit skips the check. */
export function createDropCheck({ list, queue, listEvent, grants, siteAt, builds }: DropCheckOptions) {
  let isClosed = false;

  /** Returns `null` after `close`, and once the publish job is dismissed, cancelled or confirmed. */
  function findUnchecked(id: string): Entry | null {
    const entry = list.entries().find((stored) => stored.id === id);
    return !isClosed && entry?.state.is === 'asking' ? entry : null;
  }

  function proceed(id: string, question: Question | null): void {
    const entry = findUnchecked(id);
    if (!entry) return;
    list.update(id, { question });
    if (!question) {
      list.change(id, { state: { is: 'unfinished' } });
      queue.add(id, entry.server);
    }
    listEvent.emitNow();
  }

  /** Finds out if a path is a folder or a file. The drive may not have responded when the path was dropped. */
  async function resolveSource({ id, source }: Entry): Promise<Source> {
    if (source.kind === 'files') return source;
    const { path } = source;
    return onDriveWithin(path, DRIVE_LIMIT_MS, async (stats) => {
      if (stats?.isFile() !== true) {
        list.update(id, { exists: stats?.isDirectory() === true });
        return source;
      }
      const file: Source = { kind: 'files', paths: [path], staged: false };
      if (findUnchecked(id)) list.change(id, { source: file });
      return file;
    });
  }

  return {
    /**
     * Checks a publish job, then queues it or asks the user. The job fails if the drive does not respond, and can be
     * cancelled meanwhile. Does not throw.
     */
    async check(id: string): Promise<void> {
      const entry = findUnchecked(id);
      if (!entry) return;
      try {
        const source = await resolveSource(entry);
        const checked = { ...entry, source };
        const question = updateQuestion(checked, siteAt) ?? (await questionOf(checked, grants));
        const built = buildSource(source, question);
        if (!built || !findUnchecked(id) || !builds.isApproved(built.build)) return proceed(id, question);
        list.change(id, { source: built });
        proceed(id, updateQuestion({ ...entry, source: built }, siteAt));
      } catch (thrown) {
        if (!findUnchecked(id)) return;
        list.change(id, { state: { is: 'failed', problem: problemOf(thrown), at: Date.now() } });
        listEvent.emitNow();
      }
    },
    /** Queues a publish job that the user has confirmed. */
    confirm(id: string): void {
      list.change(id, { sure: true });
      proceed(id, null);
    },
    /** Makes running checks have no effect. */
    close: () => void (isClosed = true),
  };
}

/** The source of a project that must be built first; `null` if the question is not about such a project. */
export function buildSource(source: Source, question: Question | null) {
  const { build } = question ?? {};
  if (source.kind !== 'folder' || !build) return null;
  const { path } = source;
  return { kind: 'folder', path: join(path, build.folder), build: { root: path, command: build.command } } as const;
}

/** Asks whether to update the site that the folder already has; `null` if it has no site, or if a domain was chosen. */
function updateQuestion(
  { server, anonymous, source, options, sure }: Entry,
  siteAt: DropCheckOptions['siteAt'],
): Question | null {
  if (anonymous || sure || source.kind !== 'folder' || options.domain !== undefined) return null;
  const site = siteAt(server, source.path);
  return site === null ? null : { about: 'update', suggestions: [], site };
}

/** The question to ask before publishing; `null` if the source looks like a site or the user has confirmed it. */
async function questionOf({ source, sure, pasted }: Entry, grants: Grants): Promise<Question | null> {
  // The folder of a build may not exist yet.
  if (sure || (source.kind === 'folder' && source.build !== undefined)) return null;
  if (source.kind === 'folder') {
    const { question } = await approve(source.path, grants);
    if (question) {
      const { about, suggestions, build } = question;
      return { about, suggestions, ...(build && { build }) };
    }
  } else if (isArchive(source.paths)) {
    if (!(await onDriveWithin(source.paths[0]!, DRIVE_LIMIT_MS, () => hasFrontPage(source.paths[0]!))))
      return { about: 'no-front-page', suggestions: [] };
  } else if (source.paths.length > 1 && !namesOf(source.paths).has('index.html'))
    return { about: 'no-front-page', suggestions: [] };
  return pasted === true ? { about: 'pasted', suggestions: [] } : null;
}

/** The name of a publish job: the name of its folder or single file, or the number of its files. */
export function nameOf(source: Source): string {
  if (source.kind === 'folder') return basename(source.path) || source.path;
  const [first = ''] = source.paths;
  return source.paths.length === 1 ? basename(first) : `${source.paths.length} files`;
}
