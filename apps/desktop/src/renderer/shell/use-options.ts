import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { DesktopApi } from '../../shared/contract.ts';
import type { NextDropOptions } from '../../shared/publishing.ts';
import type { NextDrop } from '../state/options.ts';

/** Max length, in UTF-16 units, of a text sent to the app. Longer texts are invalid anyway, so they are cut. */
const MAX_TEXT_LENGTH = 1_000;

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
    const send = (next: NextDropOptions) => void commands.setNextDrop(shortened(next));
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

function shortened({ domain, password, ...others }: NextDropOptions): NextDropOptions {
  return {
    ...others,
    ...(domain !== undefined && { domain: domain.slice(0, MAX_TEXT_LENGTH) }),
    ...(password !== undefined && { password: password.slice(0, MAX_TEXT_LENGTH) }),
  };
}
