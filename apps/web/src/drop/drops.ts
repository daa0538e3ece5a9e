import type { Published, Publishing, PublishingState } from '@berth/ui/publishing';
import { savedUploads } from './worker/saved-uploads.ts';
// oxlint-disable-next-line import/default -- Vite exports the address of the built worker
import workerUrl from './worker/worker.ts?worker&url';
import type { Gathered } from './gather.ts';
import type { Drop, DropOptions, Report } from './messages.ts';
import { createWorkerLink, type DropsWorker, type StartFailure } from './worker-link.ts';

/** The drops of this page, newest first, and the functions that change them. They continue while other pages are shown. */
export interface Drops {
  get(): readonly Publishing[];
  subscribe(listener: () => void): () => void;
  /** Publishes something. */
  publish(gathered: Gathered, options: DropOptions, of: DropCircumstances): Promise<void>;
  answer(id: string, instead: string | null): void;
  pause(id: string): void;
  /** Continues an upload; asks for the permission to read its folder, if necessary. */
  resume(id: string): Promise<void>;
  cancel(id: string): void;
  retry(id: string): void;
  dismiss(id: string): void;
  /** Shows that a deployment now belongs to the account. */
  markClaimed(id: string): void;
  /** Continues the uploads that an earlier page began. */
  restore(isSignedIn: boolean): Promise<void>;
}

/** What a page knows about a drop. */
interface DropCircumstances {
  /** Whether the server publishes it for an account. It waits until the page knows that. */
  isSignedIn: boolean | Promise<boolean>;
  /** Whether it was pasted, so that the person is asked first. */
  isPasted: boolean;
  /** Whether there is no connection. */
  isOffline: boolean;
}

const SCANNING: PublishingState = { is: 'working', progress: { phase: 'listing' } };

const FAILURES: Readonly<Record<StartFailure, PublishingState>> = {
  offline: { is: 'paused', why: 'offline', sent: null },
  'old-browser': failed(
    'This browser is too old to publish from a page.',
    'Update it, use another browser, or publish with the command line.',
  ),
  updated: failed('The server was updated after you opened this page.', 'Reload the page, and drop it again.'),
};

function failed(message: string, next: string): PublishingState {
  return { is: 'failed', problem: { kind: 'unexpected', message, next, file: null } };
}

/** The address of the worker as the only script that the policy of this page accepts. A page can create the policy only once. */
let trustedUrl: unknown;

function startWorker(): DropsWorker {
  const { trustedTypes } = globalThis as unknown as { trustedTypes?: TrustedTypePolicyFactory };
  trustedUrl ??=
    trustedTypes?.createPolicy('berth', { createScriptURL: () => workerUrl }).createScriptURL(workerUrl) ?? workerUrl;
  return new Worker(trustedUrl as string, { type: 'module', name: 'drops' });
}

interface TrustedTypePolicyFactory {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

/** Creates the drops of a page. The worker that publishes them is started for the first one. */
export function createDrops(start: () => DropsWorker = startWorker): Drops {
  let publishings: readonly Publishing[] = [];
  const listeners = new Set<() => void>();
  /** The drops that the worker has not shown yet, as the page shows them. */
  const started = new Map<string, Publishing>();
  const handles = new Map<string, FileSystemDirectoryHandle>();
  const link = createWorkerLink({
    start,
    url: workerUrl,
    onReport: receive,
    onFailure(failure) {
      for (const id of started.keys()) showStarted(id, FAILURES[failure]);
    },
  });
  const set = (next: readonly Publishing[]) => {
    publishings = next;
    for (const listener of listeners) listener();
  };
  const change = (id: string, update: (published: Published) => Published) =>
    set(
      publishings.map((each) =>
        each.id === id && each.state.is === 'published'
          ? { ...each, state: { is: 'published', published: update(each.state.published) } }
          : each,
      ),
    );

  function showStarted(id: string, state: PublishingState): void {
    const publishing = { ...started.get(id)!, state };
    started.set(id, publishing);
    show(publishing);
  }

  /** Removes a drop that the worker has not shown. @returns False if there is no such drop. */
  function removeStarted(id: string): boolean {
    link.forget(id);
    if (!started.delete(id)) return false;
    remove(id);
    return true;
  }

  const remove = (id: string) => set(publishings.filter((each) => each.id !== id));

  function show(publishing: Publishing): void {
    const isKnown = publishings.some(({ id }) => id === publishing.id);
    const before = publishings.find(({ id }) => id === publishing.id);
    set(
      isKnown
        ? publishings.map((each) => (each.id === publishing.id ? publishing : each))
        : [publishing, ...publishings],
    );
    if (publishing.state.is === 'published' && before?.state.is !== 'published') void copyLink(publishing);
  }

  async function copyLink({ id, state }: Publishing): Promise<void> {
    if (state.is !== 'published') return;
    // The browser refuses it if the person has left the page.
    const isCopied = await navigator.clipboard?.writeText(state.published.url).then(
      () => true,
      () => false,
    );
    if (isCopied) change(id, (published) => ({ ...published, copied: true }));
  }

  function receive(report: Report): void {
    switch (report.report) {
      case 'ready':
        return;
      case 'state':
        started.delete(report.publishing.id);
        return show(report.publishing);
      case 'handle':
        return void handles.set(report.id, report.handle);
      case 'gone':
        return remove(report.id);
      default:
        report satisfies never;
    }
  }

  return {
    get: () => publishings,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async publish({ name, kind, origin, files }, options, { isSignedIn, isPasted, isOffline }) {
      const id = createId();
      const state = isOffline ? FAILURES.offline : SCANNING;
      started.set(id, { id, name, kind, begun: Date.now(), state, leftOut: [], watchable: false });
      showStarted(id, state);
      const drop: Drop = { id, name, kind, origin, options, isPasted, isSignedIn: await isSignedIn };
      if (!started.has(id)) return;
      link.send({ do: 'publish', drop });
      if (!files) return;
      for await (const group of files) link.send({ do: 'add', id, files: group, isLast: false });
      link.send({ do: 'add', id, files: [], isLast: true });
    },
    answer: (id, instead) => link.send({ do: 'answer', id, instead }),
    pause: (id) => link.send({ do: 'pause', id }),
    async resume(id) {
      const handle = handles.get(id);
      if (!handle || (await requestPermission(handle)) === 'granted') link.send({ do: 'resume', id });
    },
    cancel(id) {
      if (!removeStarted(id)) link.send({ do: 'cancel', id });
    },
    retry(id) {
      if (!started.has(id)) return link.send({ do: 'retry', id });
      showStarted(id, SCANNING);
      link.restart();
    },
    dismiss(id) {
      if (removeStarted(id)) return;
      link.send({ do: 'forget', id });
      remove(id);
    },
    markClaimed: (id) => change(id, (published) => ({ ...published, claim: null, expires: null })),
    async restore(isSignedIn) {
      if ((await savedUploads.list()).length > 0) link.send({ do: 'restore', isSignedIn });
    },
  };
}

function requestPermission(handle: FileSystemDirectoryHandle): Promise<PermissionState> {
  return (handle as unknown as { requestPermission(of: { mode: 'read' }): Promise<PermissionState> }).requestPermission(
    { mode: 'read' },
  );
}

/** Pages without TLS have no `crypto.randomUUID`. */
function createId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
