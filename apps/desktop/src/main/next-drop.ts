import { ClientError } from '@berth/client';
import { type NextDropOptions, PublishOptions } from '../shared/publishing.ts';
import type { Handlers } from './backend.ts';
import { checkPassword } from './folders/checks.ts';

export type NextDrop = ReturnType<typeof createNextDrop>;

/**
 * Keeps the options of the next drop in the memory of the main process, so that they apply however the drop arrives.
 *
 * @param onTaken Called when a drop has used options that were set.
 */
export function createNextDrop(onTaken: () => void) {
  let options: NextDropOptions = {};

  return {
    handlers: { setNextDrop: async (next) => void (options = next) } satisfies Partial<Handlers>,
    /** Returns the options as the user typed them. */
    options: () => options,
    /** Checks the options. @throws ClientError `refused` if they are invalid, so that no site loses the password that was set. */
    usable(): PublishOptions {
      try {
        if (options.password !== undefined) checkPassword(options.password);
        return PublishOptions.parse(options);
      } catch (cause) {
        const reason = cause instanceof ClientError ? cause.message : 'The domain of the next drop cannot be used.';
        const nextStep = 'Nothing was published. Change or clear the options of the next drop.';
        throw new ClientError('refused', `${reason} ${nextStep}`, { cause });
      }
    },
    /** Clears the options after a drop has used them. */
    clear(): void {
      if (Object.keys(options).length === 0) return;
      options = {};
      onTaken();
    },
  };
}
