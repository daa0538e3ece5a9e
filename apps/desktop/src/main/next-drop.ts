import { ClientError } from '@berth/client';
import { type NextDropOptions, PublishOptions } from '../shared/publishing.ts';
import type { Handlers } from './backend.ts';
import { checkPassword } from './folders/checks.ts';

/** The options of the next drop, in memory only. They are in the main process so that they apply however the drop arrives. */
export interface NextDrop {
  /** The options as the user typed them. */
  options(): NextDropOptions;
  /** The checked options. @throws ClientError `refused` if they are invalid, so that nothing loses the password that was set. */
  usable(): PublishOptions;
  /** Clears the options after a drop has used them. */
  clear(): void;
  readonly handlers: Pick<Handlers, 'setNextDrop'>;
}

/** @param onTaken Called when a drop has used options that were set. */
export function createNextDrop(onTaken: () => void): NextDrop {
  let options: NextDropOptions = {};
  return {
    options: () => options,
    usable() {
      try {
        if (options.password !== undefined) checkPassword(options.password);
        return PublishOptions.parse(options);
      } catch (cause) {
        const why = cause instanceof ClientError ? cause.message : 'The domain of the next drop cannot be used.';
        throw new ClientError(
          'refused',
          `${why} Nothing was published. Change or clear the options of the next drop.`,
          {
            cause,
          },
        );
      }
    },
    clear() {
      if (Object.keys(options).length === 0) return;
      options = {};
      onTaken();
    },
    handlers: {
      async setNextDrop(next) {
        options = next;
      },
    },
  };
}
