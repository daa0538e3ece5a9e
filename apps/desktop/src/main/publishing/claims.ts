import { ClientError } from '@berth/client';
import type { Accounts } from '../account/accounts.ts';
import type { Emit } from '../backend.ts';
import { problemOf } from '../problem.ts';
import { type Entry, withoutOldClaim } from './entry.ts';
import type { PublishingList } from './publishing-list.ts';
import type { ThrottledEvent } from './throttled-event.ts';

export interface ClaimsOptions {
  accounts: Pick<Accounts, 'client' | 'onChange' | 'reportFailure' | 'session'>;
  list: PublishingList;
  listEvent: ThrottledEvent;
  emit: Emit;
}

/** Claims anonymous sites for the account: at once, or as soon as the user has signed in. Source: desktop §8.8. */
export class Claims {
  readonly #options: ClaimsOptions;
  #isClaiming = false;

  constructor(options: ClaimsOptions) {
    this.#options = options;
    options.accounts.onChange(() => void this.claimKept());
  }

  /** Claims a site now. @throws ClientError `refused` when it cannot be claimed; `signed-out` without an account. */
  async claim(id: string): Promise<void> {
    const { accounts, list, listEvent } = this.#options;
    const { state, server } = list.get(id);
    const published = state.is === 'published' ? withoutOldClaim(state.published, Date.now()) : null;
    if (!published || published.claim === null)
      throw new ClientError(
        'refused',
        'This site cannot be claimed. It already belongs to an account, or has expired.',
      );
    const client = accounts.client(server);
    if (client.key === null)
      throw new ClientError('signed-out', `Sign in to ${new URL(server).host} to claim this site.`);
    try {
      await client.api.account.claim.mutate({ claim: published.claim });
    } catch (thrown) {
      accounts.reportFailure(server, thrown);
      throw thrown;
    }
    const claimed = { ...published, claim: null, expires: null };
    list.change(id, { state: { is: 'published', published: claimed }, keep: undefined });
    listEvent.emitNow();
  }

  /** Remembers that the user signs in to keep a site. The site is claimed once the user has signed in, also after a restart. */
  async keep(id: string): Promise<void> {
    const { list } = this.#options;
    list.get(id);
    list.change(id, { keep: true });
    await list.saved();
  }

  /** Claims the sites that the user wants to keep on the servers to which the user is signed in. Shows the last one. */
  async claimKept(): Promise<void> {
    if (this.#isClaiming) return;
    this.#isClaiming = true;
    try {
      for (const entry of this.#claimable()) await this.#claimOne(entry);
    } finally {
      this.#isClaiming = false;
    }
  }

  #claimable(): Entry[] {
    const { accounts, list } = this.#options;
    const { servers } = accounts.session();
    const signedIn = new Set(servers.filter(({ signIn }) => signIn.is === 'signed-in').map(({ origin }) => origin));
    return list.entries().filter(({ keep, server }) => keep === true && signedIn.has(server));
  }

  async #claimOne({ id }: Entry): Promise<void> {
    const { list, emit } = this.#options;
    try {
      await this.claim(id);
      emit('navigate', { page: 'publish', id });
    } catch (thrown) {
      // A server that cannot be reached is tried again when the session changes.
      if (thrown instanceof ClientError && (thrown.kind === 'network' || thrown.kind === 'unavailable')) return;
      list.change(id, { keep: undefined });
      emit('problem', { problem: problemOf(thrown) });
    }
  }
}
