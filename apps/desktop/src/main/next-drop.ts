import { ClientError } from '@berth/client';
import { type NextDropOptions, PublishOptions } from '../shared/publishing.ts';
import type { Handlers } from './backend.ts';
import { checkPassword } from './folders/checks.ts';

/** The options of the next drop, in memory only. They are in the main process so that they apply however the drop arrives. */
export class NextDrop {
  readonly #onTaken: () => void;
  #options: NextDropOptions = {};

  /** @param onTaken Called when a drop has used options that were set. */
  constructor(onTaken: () => void) {
    this.#onTaken = onTaken;
  }

  readonly handlers = {
    setNextDrop: async (next) => {
      this.#options = next;
    },
  } satisfies Partial<Handlers>;

  /** The options as the user typed them. */
  options(): NextDropOptions {
    return this.#options;
  }

  /** The checked options. @throws ClientError `refused` if they are invalid, so that nothing loses the password that was set. */
  usable(): PublishOptions {
    try {
      if (this.#options.password !== undefined) checkPassword(this.#options.password);
      return PublishOptions.parse(this.#options);
    } catch (cause) {
      const why = cause instanceof ClientError ? cause.message : 'The domain of the next drop cannot be used.';
      const next = 'Nothing was published. Change or clear the options of the next drop.';
      throw new ClientError('refused', `${why} ${next}`, { cause });
    }
  }

  /** Clears the options after a drop has used them. */
  clear(): void {
    if (Object.keys(this.#options).length === 0) return;
    this.#options = {};
    this.#onTaken();
  }
}
