import { createContext, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { DesktopApi } from '../../shared/contract.ts';
import type { NextDropOptions } from '../../shared/publishing.ts';

/** Max length, in UTF-16 units, of a text sent to the app. Longer texts are invalid anyway, so they are cut. */
const MAX_TEXT_LENGTH = 1_000;

/** The options of the next drop. A context separate from the shell's, so that typing renders only the form. */
interface NextDrop {
  /** As typed, valid or not, so that no option is dropped silently. */
  options: NextDropOptions;
  set(options: NextDropOptions): void;
  clear(): void;
  /** Changes each time the options are cleared; used as the key that resets the form. */
  formKey: number;
}

export const NextDropContext = createContext<NextDrop | null>(null);

export function useNextDrop(): NextDrop {
  return use(NextDropContext)!;
}

/**
 * Keeps the options of the next drop, and sends each change to the app, which applies them to drops outside the window too.
 *
 * @returns The options, and a ref with their latest value.
 */
export function useOptions({ commands, events }: DesktopApi) {
  const [options, setOptions] = useState<NextDropOptions>({});
  const [formKey, setFormKey] = useState(0);
  const latest = useRef(options);
  latest.current = options;

  const restart = useCallback(() => {
    setOptions({});
    setFormKey((before) => before + 1);
  }, []);
  useEffect(() => events.dropTaken(restart), [events, restart]);
  // A reloaded window starts with an empty form, so clear the options that the app has.
  useEffect(() => void commands.setNextDrop({}), [commands]);

  const nextDrop = useMemo((): NextDrop => {
    const send = ({ domain, password, ...others }: NextDropOptions) =>
      void commands.setNextDrop({ ...others, domain: shortened(domain), password: shortened(password) });
    return {
      options,
      formKey,
      set(next) {
        setOptions(next);
        send(next);
      },
      clear() {
        restart();
        send({});
      },
    };
  }, [options, formKey, commands, restart]);
  return { nextDrop, latest };
}

function shortened(text: string | undefined): string | undefined {
  return text?.slice(0, MAX_TEXT_LENGTH);
}
