import { ClientError } from '@berth/client';
import { type NextDropOptions, PublishOptions } from '../shared/publishing.ts';
import type { Handlers } from './backend.ts';
import { checkPassword } from './folders/checks.ts';

/** What the user set for the next drop. It is kept here, so that it applies whichever way the drop comes; in memory only. */
export interface NextDrop {
  /** As typed. */
  options(): NextDropOptions;
  /** @throws ClientError `refused` while they cannot be used. Nothing is published without a password that was set. */
  usable(): PublishOptions;
  /** A drop was taken. */
  clear(): void;
  readonly handlers: Pick<Handlers, 'setNextDrop'>;
}

/** @param onTaken Called when a drop used up what was set. */
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
