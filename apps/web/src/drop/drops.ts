import type { Published, Publishing } from '@berth/ui/publishing';
import { savedUploads } from './worker/saved-uploads.ts';
// oxlint-disable-next-line import/default -- Vite exports the address of the built worker
import workerUrl from './worker/worker.ts?worker&url';
import type { Gathered } from './gather.ts';
import type { Command, Drop, DropOptions, Report } from './messages.ts';

/** The drops of this page, newest first, and the functions that change them. They continue while other pages are shown. */
export interface Drops {
  get(): readonly Publishing[];
  subscribe(listener: () => void): () => void;
  /** Publishes something. `isPasted` asks first. */
  publish(gathered: Gathered, options: DropOptions, of: { isSignedIn: boolean; isPasted: boolean }): Promise<void>;
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

const OLD_BROWSER = {
  kind: 'unexpected' as const,
  message: 'This browser cannot publish from a page.',
  next: 'Update it, use another browser, or publish with the command line.',
  file: null,
};

/** The part of a worker that drops use. */
export type DropsWorker = Pick<Worker, 'postMessage' | 'addEventListener'>;

/** Starts the worker. Its address is the only one that the policy of this page accepts as a script. */
function startWorker(): DropsWorker {
  const { trustedTypes } = globalThis as unknown as { trustedTypes?: TrustedTypePolicyFactory };
  const policy = trustedTypes?.createPolicy('berth', { createScriptURL: () => workerUrl });
  const url = policy?.createScriptURL(workerUrl) ?? workerUrl;
  return new Worker(url as string, { type: 'module', name: 'drops' });
}

interface TrustedTypePolicyFactory {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

/** Creates the drops of a page. The worker that publishes them is started for the first one. */
export function createDrops(start: () => DropsWorker = startWorker): Drops {
  let worker: DropsWorker | undefined;
  let publishings: readonly Publishing[] = [];
  const listeners = new Set<() => void>();
  /** The drops that the worker has not shown yet. */
  const started = new Map<string, Drop>();
  const handles = new Map<string, FileSystemDirectoryHandle>();
  const send = (command: Command) => {
    if (!worker) {
      worker = start();
      worker.addEventListener('message', receive);
      worker.addEventListener('error', failStarted);
    }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has one page
    worker.postMessage(command);
  };
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

  /** Old browsers start no workers that are modules. */
  function failStarted(): void {
    for (const { id, name, kind } of started.values())
      show({
        id,
        name,
        kind,
        begun: Date.now(),
        state: { is: 'failed', problem: OLD_BROWSER },
        leftOut: [],
        watchable: false,
      });
  }

  function show(publishing: Publishing): void {
    started.delete(publishing.id);
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

  function receive({ data }: MessageEvent<Report>): void {
    switch (data.report) {
      case 'state':
        return show(data.publishing);
      case 'handle':
        return void handles.set(data.id, data.handle);
      case 'gone':
        return set(publishings.filter(({ id }) => id !== data.id));
      default:
        data satisfies never;
    }
  }

  return {
    get: () => publishings,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async publish({ name, kind, origin, files }, options, { isSignedIn, isPasted }) {
      const id = createId();
      const drop = { id, name, kind, origin, options, isSignedIn, isPasted };
      started.set(id, drop);
      send({ do: 'publish', drop });
      if (!files) return;
      for await (const group of files) send({ do: 'add', id, files: group, isLast: false });
      send({ do: 'add', id, files: [], isLast: true });
    },
    answer: (id, instead) => send({ do: 'answer', id, instead }),
    pause: (id) => send({ do: 'pause', id }),
    async resume(id) {
      const handle = handles.get(id);
      if (!handle || (await requestPermission(handle)) === 'granted') send({ do: 'resume', id });
    },
    cancel: (id) => send({ do: 'cancel', id }),
    retry: (id) => send({ do: 'retry', id }),
    dismiss(id) {
      send({ do: 'forget', id });
      set(publishings.filter((each) => each.id !== id));
    },
    markClaimed: (id) => change(id, (published) => ({ ...published, claim: null, expires: null })),
    async restore(isSignedIn) {
      if ((await savedUploads.list()).length > 0) send({ do: 'restore', isSignedIn });
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
