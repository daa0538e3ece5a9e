import { type BerthClient, CANCELLED, ClientError } from '@berth/client/browser';
import {
  createIdempotencyKey,
  deployHashed,
  type FoundFile,
  type HashedFile,
  type ResumeState,
} from '@berth/client/browser/upload';
import { applyDeployEvent, initialProgress, leftOutOf, type ProgressView } from '@berth/client/progress-view';
import { type CreatedDeployment, UPLOAD_SECONDS } from '@berth/contract';
import type { Problem } from '@berth/ui/backend';
import type { PauseReason, Progress, Publishing, PublishingState } from '@berth/ui/publishing';
import { problemOf } from '../../account/answers.ts';
import type { Drop } from '../messages.ts';
import { hashFiles, type KnownHashes } from './hash-files.ts';
import { type FileLimits, findDoubt, refuseFiles } from './judge.ts';
import { type SavedUpload, savedUploads } from './saved-uploads.ts';
import type { Source } from './sources.ts';
import { xhrSender } from './xhr-sender.ts';

/** The abort reasons of work that continues later. */
const PAUSED = new DOMException('The work is paused.', 'AbortError');
const OFFLINE = new DOMException('There is no connection.', 'AbortError');
const ONLINE = new DOMException('There is a connection again.', 'AbortError');

/** How long to wait before a server that cannot be reached is asked again, in milliseconds. */
const RETRY_MS = 5_000;

/** The phases that need a connection. */
const NETWORK_PHASES: ReadonlySet<Progress['phase']> = new Set(['comparing', 'sending', 'finishing', 'retrying']);

export interface JobParts {
  client: BerthClient;
  /** Opens the files. Called again if the job is repeated. */
  open(limits: FileLimits | null): Promise<Source>;
  readLimits(): Promise<FileLimits | null>;
  isOnline(): boolean;
  /** Runs one step at a time over all jobs. A job that is paused lets others pass. */
  inTurn<T>(step: () => Promise<T>): Promise<T>;
  /** Shows the state. */
  show(publishing: Publishing): unknown;
  /** The upload that an earlier page began. */
  saved?: SavedUpload | undefined;
}

/** Publishes one drop: asks, lists, hashes and sends, and can pause at each of these steps. */
export class Job {
  readonly drop: Drop;
  readonly #parts: JobParts;
  readonly #hashes: KnownHashes;
  readonly #begun: number;
  #key: string;
  #leftOut: Publishing['leftOut'] = [];
  #state: PublishingState = { is: 'queued' };
  #view: ProgressView = initialProgress();
  #abort = new AbortController();
  #answer = Promise.withResolvers<string | null>();
  #resume = Promise.withResolvers<void>();
  #isRunning = false;

  constructor(drop: Drop, parts: JobParts) {
    this.drop = drop;
    this.#parts = parts;
    this.#hashes = new Map(parts.saved?.hashes);
    this.#begun = parts.saved?.begun ?? Date.now();
    this.#key = parts.saved?.key ?? createIdempotencyKey();
  }

  /** Publishes the drop, or publishes it again after it failed or was cancelled. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      await this.#publish();
    } catch (thrown) {
      if (this.#abort.signal.reason === CANCELLED) this.#show({ is: 'cancelled' });
      else this.#show({ is: 'failed', problem: this.#problemOf(thrown) });
      await savedUploads.remove(this.drop.id);
    } finally {
      this.#isRunning = false;
    }
  }

  /** A server that publishes only for accounts refuses all others with 403. */
  #problemOf(thrown: unknown): Problem {
    const problem = problemOf(thrown);
    if (this.drop.isSignedIn || !(thrown instanceof ClientError) || thrown.status !== 403) return problem;
    return {
      ...problem,
      message: 'This server publishes only for people who are signed in.',
      next: 'Sign in, and publish it again.',
    };
  }

  /** Answers the question: publishes everything (`null`) or one of the suggested folders. */
  answer(instead: string | null): void {
    this.#answer.resolve(instead);
  }

  pause(): void {
    this.#abort.abort(PAUSED);
  }

  resume(): void {
    this.#resume.resolve();
  }

  cancel(): void {
    this.#abort.abort(CANCELLED);
    this.#answer.reject(CANCELLED);
    this.#resume.reject(CANCELLED);
  }

  /** Continues at once when the connection is back. Without one, waits for it instead of retrying; work that needs none continues. */
  onConnection(): void {
    const phase = this.#state.is === 'working' ? this.#state.progress.phase : null;
    const isWaiting = this.#state.is === 'paused' && this.#state.why === 'offline';
    if (!this.#parts.isOnline()) {
      if (phase !== null && NETWORK_PHASES.has(phase)) this.#abort.abort(OFFLINE);
    } else if (phase === 'retrying') this.#abort.abort(ONLINE);
    else if (isWaiting) this.resume();
  }

  /** Shows that the job waits before it can read the folder. */
  wait(why: PauseReason): Promise<void> {
    this.#resume = Promise.withResolvers();
    this.#resume.promise.catch(() => {});
    this.#show({ is: 'paused', why, sent: null });
    return this.#resume.promise;
  }

  async #publish(): Promise<void> {
    const { readLimits, open, saved } = this.#parts;
    this.#abort = new AbortController();
    this.#view = initialProgress();
    this.#show({ is: 'working', progress: this.#view.progress });
    const limits = await this.#online(readLimits);
    const source = await this.#choose(await this.#online(() => open(limits)), saved !== undefined);
    this.#show({ is: 'queued' });
    const found = await this.#pausable((signal) => this.#list(source, limits, signal));
    const files = await this.#pausable((signal) => this.#hash(found, signal));
    await this.#save(source);
    await this.#pausable((signal) => this.#send(files, signal));
  }

  /** Asks whether it is the right folder, unless an earlier page has asked. @returns The folder to publish. */
  async #choose(source: Source, isAsked: boolean): Promise<Source> {
    if (isAsked) return source;
    const { kind, name, isPasted } = this.drop;
    const doubt = kind === 'folder' || kind === 'files' ? await findDoubt(source, kind === 'folder' ? name : '') : null;
    if (!doubt && !isPasted) return source;
    const suggestions = (doubt?.suggestions ?? []).map((path) => ({ grant: path, name: path }));
    this.#answer = Promise.withResolvers();
    this.#answer.promise.catch(() => {});
    this.#show({ is: 'asking', question: { about: doubt?.about ?? 'pasted', suggestions } });
    const instead = await this.#answer.promise;
    return instead === null ? source : source.within(instead);
  }

  async #list(source: Source, limits: FileLimits | null, signal: AbortSignal): Promise<FoundFile[]> {
    this.#show({ is: 'working', progress: { phase: 'listing' } });
    const { found, skipped } = await source.list(signal);
    this.#leftOut = leftOutOf(skipped);
    refuseFiles(found, limits);
    return found;
  }

  async #hash(found: readonly FoundFile[], signal: AbortSignal): Promise<HashedFile[]> {
    const total = { files: found.length, bytes: found.reduce((sum, { blob }) => sum + blob.size, 0) };
    return hashFiles(found, this.#hashes, signal, (done, cached) => {
      this.#view = applyDeployEvent(this.#view, { type: 'hashed', done, total, cached }, Date.now());
      this.#show({ is: 'working', progress: this.#view.progress });
    });
  }

  async #send(files: readonly HashedFile[], signal: AbortSignal): Promise<void> {
    const { client } = this.#parts;
    const { domain, labels, password } = this.drop.options;
    // Without a password, a site at a domain keeps the password of the domain.
    const givenPassword = password ?? (domain === undefined ? null : undefined);
    const events = deployHashed(
      {
        publication: { client, domain, labels, password: givenPassword, via: 'web' },
        files,
        sendContents: xhrSender(client, files),
        resumeState: this.#resumeState(),
      },
      { signal },
    );
    let deployment: CreatedDeployment | null = null;
    let served: { url: string } | null = null;
    for await (const event of events) {
      if (event.type === 'committed') ({ deployment } = event);
      if (event.type === 'linked' && event.domain.status === 'success') served = event.domain;
      this.#view = applyDeployEvent(this.#view, event, Date.now());
      this.#show({ is: 'working', progress: this.#view.progress });
    }
    this.#showPublished(deployment!, served?.url ?? null);
  }

  #showPublished(deployment: CreatedDeployment, domainUrl: string | null): void {
    const { claim, expires, warnings = [] } = deployment;
    this.#show({
      is: 'published',
      published: {
        deployment: deployment.deployment,
        url: domainUrl ?? deployment.url,
        files: deployment.files,
        bytes: deployment.size,
        at: Date.now(),
        expires: expires ?? null,
        claim: claim ?? null,
        password: deployment.password,
        copied: false,
        notices: warnings.map(({ file, line, message }) => ({ file, line: line ?? null, message })),
      },
    });
  }

  #resumeState(): ResumeState {
    const readKey = () => this.#key;
    return {
      get key() {
        return readKey();
      },
      isPersistent: true,
      renew: () => {
        this.#key = createIdempotencyKey();
      },
      forget: () => void savedUploads.remove(this.drop.id),
    };
  }

  /** Keeps what a later page needs to continue, but no password: contents that an account has sent are not sent again anyway. */
  async #save({ handle }: Source): Promise<void> {
    const { id, name, kind, isSignedIn, options } = this.drop;
    if (options.password !== undefined || Date.now() - this.#begun > UPLOAD_SECONDS * 1000) return;
    const { domain, labels } = options;
    await savedUploads.put({
      id,
      name,
      kind,
      begun: this.#begun,
      key: this.#key,
      isSignedIn,
      options: { domain, labels },
      handle,
      hashes: [...this.#hashes],
    });
  }

  /** Runs a step until the server can be reached: again when the connection is back, and from time to time. */
  async #online<T>(step: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await step();
      } catch (thrown) {
        if (!isNetworkError(thrown)) throw thrown;
        const timer = setTimeout(() => this.resume(), RETRY_MS);
        await this.#waitWith('offline').finally(() => clearTimeout(timer));
      }
  }

  /** Runs a step again each time that it was paused, when it continues. */
  async #pausable<T>(step: (signal: AbortSignal) => Promise<T>): Promise<T> {
    for (;;) {
      const { signal } = this.#abort;
      try {
        return await this.#parts.inTurn(() => {
          signal.throwIfAborted();
          return step(signal);
        });
      } catch (thrown) {
        if (signal.reason === PAUSED) await this.#waitWith('asked');
        else if (signal.reason === OFFLINE || (!signal.aborted && this.#isOffline(thrown)))
          await this.#waitWith('offline');
        else if (signal.reason !== ONLINE) throw thrown;
        // A cancelled job stays cancelled, also if it was cancelled while it waited.
        if (signal.aborted && signal.reason !== CANCELLED) this.#abort = new AbortController();
      }
    }
  }

  async #waitWith(why: PauseReason): Promise<void> {
    const { progress } = this.#view;
    this.#resume = Promise.withResolvers();
    this.#resume.promise.catch(() => {});
    const sent = progress.phase === 'sending' ? { done: progress.done, total: progress.total } : null;
    this.#show({ is: 'paused', why, sent });
    await this.#resume.promise;
  }

  /** Whether a request failed because there is no connection. */
  #isOffline(thrown: unknown): boolean {
    return isNetworkError(thrown) && !this.#parts.isOnline();
  }

  #show(state: PublishingState): void {
    this.#state = state;
    const { id, name, kind } = this.drop;
    this.#parts.show({ id, name, kind, begun: this.#begun, state, leftOut: this.#leftOut, watchable: false });
  }
}

function isNetworkError(thrown: unknown): boolean {
  return thrown instanceof ClientError && thrown.kind === 'network';
}
