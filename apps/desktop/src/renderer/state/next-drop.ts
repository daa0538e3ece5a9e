import type { NextDrop } from '@berth/ui/state/next-drop';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { DesktopApi } from '../../shared/contract.ts';
import type { NextDropOptions } from '../../shared/publishing.ts';

/** Maximum length of a text sent to the app, in UTF-16 units. Longer texts are invalid, so the app needs only their start. */
const MAX_TEXT_LENGTH = 1_000;

/** Keeps the options of the next drop and sends each change to the app, which also applies the options to drops outside the window. */
export function useOptions({ commands, events }: DesktopApi) {
  // The options are kept as the user typed them, valid or not, so that no option is ignored silently.
  const [options, setOptions] = useState<NextDropOptions>({});
  // A new React key resets the form when the options are cleared.
  const [formKey, setFormKey] = useState(0);
  const latestOptions = useRef(options);
  latestOptions.current = options;

  const resetOptions = useCallback(() => {
    setOptions({});
    setFormKey((before) => before + 1);
  }, []);
  useEffect(() => events.dropTaken(resetOptions), [events, resetOptions]);
  // A reloaded window starts with an empty form, so clear the options that the app still has.
  useEffect(() => void commands.setNextDrop({}), [commands]);

  const nextDrop = useMemo((): NextDrop => {
    const send = ({ domain, password, ...others }: NextDropOptions) =>
      void commands.setNextDrop({
        ...others,
        domain: domain?.slice(0, MAX_TEXT_LENGTH),
        password: password?.slice(0, MAX_TEXT_LENGTH),
      });
    return {
      options,
      formKey,
      set(next: NextDropOptions) {
        setOptions(next);
        send(next);
      },
      clear() {
        resetOptions();
        send({});
      },
    };
  }, [options, formKey, commands, resetOptions]);
  return { nextDrop, latest: latestOptions };
}
