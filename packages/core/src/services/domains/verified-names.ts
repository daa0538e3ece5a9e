import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Core, Log } from '../../core.ts';
import type { Changes as DatabaseChanges } from '../../database/change-log.ts';
import type { Change } from '../../database/change-reader.ts';
import type { Database } from '../../database/database.ts';
import { unavailable } from '../../errors.ts';
import { NameSet } from './name-set.ts';

const PAGE_SIZE = 2_000;
const RETRY_MS = 1_000;
/** How long a change is collected with others before the file is written. */
const SAVE_DELAY_MS = 5_000;
/** The maximum time for which an answer waits for the check of a changed name. */
const MAX_WAIT_MS = 1_000;
/** How old what is known may be before the change log is read again. Source: api §14. */
const MAX_AGE_MS = 300;
/** With more changed names than this, all names are read again. */
const MAX_PENDING = 10_000;
/** Room for 8 million names. */
const MAX_FILE_BYTES = 64 * 1024 ** 2;

/** A domain whose owner is proven and whose account is not terminated. Visitors of a paused one get a page. */
const IS_VERIFIED = `n.status in ('success', 'paused') and a.state <> 'terminated'`;
const FROM = `from domain n join account a on a.id = n.account_id where n.kind = 'custom' and n.verified is not null`;
const ALL = `select n.name ${FROM} and ${IS_VERIFIED} and n.name > $1 order by n.name limit ${PAGE_SIZE}`;
const NAMED = `select n.name ${FROM} and ${IS_VERIFIED} and n.name = any($1)`;
const OF_ACCOUNT = `select n.name, ${IS_VERIFIED} as verified ${FROM} and n.account_id = $1 and n.name > $2 order by n.name limit ${PAGE_SIZE}`;

/** What has changed and is not read yet. */
interface Changes {
  /** Whether any name may have changed. */
  all: boolean;
  names: Set<string>;
  accounts: Set<string>;
}

/**
 * The names of all verified custom domains, in memory. They are read when {@link follow} starts, kept up to date by the
 * change log of the database, read again when changes were missed, and saved in a file. So the names are
 * known while the database is unavailable, and after a start without it. Source: api §12.
 */
export class VerifiedNames {
  readonly #file: string;
  readonly #log: Log;
  readonly #closing = new AbortController();
  #names: NameSet | null;
  #platformSuffix = '';
  #pending = noChanges();
  #current = noChanges();
  #updating: Promise<void> | null = null;
  /** Set from {@link follow} until the names of the database are loaded. */
  #loading: Promise<void> | null = null;
  readonly #loaded = Promise.withResolvers<void>();
  #isRetrying = false;
  #following: Promise<void> = Promise.resolve();
  #unsubscribe = () => {};
  #changes: DatabaseChanges | null = null;
  #saving: NodeJS.Timeout | null = null;

  private constructor(file: string, log: Log, names: NameSet | null) {
    this.#file = file;
    this.#log = log;
    this.#names = names;
  }

  /** Reads the names of an earlier process. A missing or damaged file means that no names are known yet. */
  static async open(file: string, log: Log): Promise<VerifiedNames> {
    return new VerifiedNames(file, log, await readNames(file, log));
  }

  /** Starts to follow the database. Retries until it is available. */
  follow({ database, addresses }: Pick<Core, 'database' | 'addresses'>): void {
    this.#platformSuffix = `.${addresses.platformHost}`;
    this.#loading = this.#loaded.promise;
    this.#changes = database.changes;
    this.#following = this.#subscribe(database);
  }

  /**
   * Whether a name in lower case is the name of a verified custom domain. The answer includes every change that was committed 300 ms
   * ago, unless the database does not respond.
   *
   * @throws ServiceError `unavailable` if no names were read yet.
   */
  async has(name: string): Promise<boolean> {
    await this.#readChanges();
    const update = this.#loading ?? (this.#mayHaveChanged(name) ? this.#updating : null);
    if (update && !this.#isRetrying) await this.#waitForUpdate(update);
    if (!this.#names) throw unavailable('The names of the domains are not loaded yet.');
    return this.#names.has(name);
  }

  /** Stops following, and saves the names. Safe to call again. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
    this.#unsubscribe();
    await this.#updating;
    if (this.#saving === null) return;
    clearTimeout(this.#saving);
    await this.#save();
  }

  /** Nearly no name is asked for while no certificate is missing, so the change log is read when one is. */
  async #readChanges(): Promise<void> {
    const changes = this.#changes;
    if (!changes) return;
    changes.keepPolling();
    if (performance.now() - changes.confirmedAt > MAX_AGE_MS) await changes.catchUp();
  }

  async #subscribe(database: Database): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        this.#unsubscribe = await database.changes.subscribe((change) => this.#onChange(database, change), {
          poll: 'slow',
        });
        this.#onChange(database, null);
        return;
      } catch {
        this.#isRetrying = true;
        await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  #onChange(database: Database, change: Change | null): void {
    if (this.#closing.signal.aborted) return;
    const pending = this.#pending;
    if (change === null) pending.all = true;
    else if (change.kind === 'account') pending.accounts.add(change.key);
    // Every deploy to a platform domain is a change, too.
    else if (change.kind === 'domain' && !change.key.endsWith(this.#platformSuffix)) pending.names.add(change.key);
    else return;
    if (pending.names.size + pending.accounts.size > MAX_PENDING) this.#pending = { ...noChanges(), all: true };
    this.#updating ??= this.#update(database).finally(() => (this.#updating = null));
  }

  async #update(database: Database): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted && !isEmpty(this.#pending)) {
      [this.#current, this.#pending] = [this.#pending, noChanges()];
      try {
        if (await this.#apply(database, this.#current)) this.#scheduleSave();
        this.#isRetrying = false;
      } catch (error) {
        if (!this.#isRetrying) this.#log.warn({ err: error }, 'The names of domains could not be read; retrying');
        this.#isRetrying = true;
        this.#pending = merge(this.#pending, this.#current);
        await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
      }
      this.#current = noChanges();
    }
  }

  /** @returns Whether the set has changed. */
  async #apply(database: Database, { all, names, accounts }: Changes): Promise<boolean> {
    if (all || !this.#names) {
      this.#names = await NameSet.from(readAll(database));
      this.#loading = null;
      this.#loaded.resolve();
      return true;
    }
    let hasChanged = false;
    const put = (name: string, isMember: boolean) => (hasChanged = this.#names!.put(name, isMember) || hasChanged);
    for (const account of accounts) {
      for (let after = ''; ;) {
        const rows = await database.prepared<{ name: string; verified: boolean }>(OF_ACCOUNT, [account, after]);
        for (const { name, verified } of rows) put(name, verified);
        if (rows.length < PAGE_SIZE) break;
        after = rows.at(-1)!.name;
      }
    }
    const rows = await database.prepared<{ name: string }>(NAMED, [[...names]]);
    const verified = new Set(rows.map(({ name }) => name));
    for (const name of names) put(name, verified.has(name));
    return hasChanged;
  }

  #mayHaveChanged(name: string): boolean {
    return [this.#pending, this.#current].some(
      ({ all, names, accounts }) => all || accounts.size > 0 || names.has(name),
    );
  }

  async #waitForUpdate(update: Promise<void>): Promise<void> {
    const waitAbort = new AbortController();
    const tooLate = sleep(MAX_WAIT_MS, undefined, { signal: waitAbort.signal }).catch(() => {});
    await Promise.race([update, tooLate]);
    waitAbort.abort();
  }

  #scheduleSave(): void {
    this.#saving ??= setTimeout(() => {
      this.#saving = null;
      void this.#save();
    }, SAVE_DELAY_MS).unref();
  }

  /** Replaces the file as a whole. Without the file, only a start without the database knows no names. */
  async #save(): Promise<void> {
    const draft = `${this.#file}.${randomBytes(6).toString('hex')}`;
    try {
      await writeFile(draft, this.#names!.toBytes(), { flag: 'wx', mode: 0o600, flush: true });
      await rename(draft, this.#file);
    } catch (error) {
      this.#log.warn({ err: error }, 'The names of domains could not be saved');
      await rm(draft, { force: true }).catch(() => {});
    }
  }
}

async function readNames(file: string, log: Log): Promise<NameSet | null> {
  try {
    const { size } = await stat(file);
    const names = size <= MAX_FILE_BYTES ? NameSet.parse(await readFile(file)) : null;
    if (!names) log.warn({ file }, 'The saved names of domains are damaged and are ignored');
    return names;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.warn({ err: error }, 'The saved names of domains could not be read');
    return null;
  }
}

async function* readAll(database: Database): AsyncGenerator<string[]> {
  for (let after = ''; ;) {
    const rows = await database.prepared<{ name: string }>(ALL, [after]);
    yield rows.map(({ name }) => name);
    if (rows.length < PAGE_SIZE) return;
    after = rows.at(-1)!.name;
  }
}

function noChanges(): Changes {
  return { all: false, names: new Set(), accounts: new Set() };
}

function isEmpty({ all, names, accounts }: Changes): boolean {
  return !all && names.size === 0 && accounts.size === 0;
}

function merge(left: Changes, right: Changes): Changes {
  return {
    all: left.all || right.all,
    names: left.names.union(right.names),
    accounts: left.accounts.union(right.accounts),
  };
}
