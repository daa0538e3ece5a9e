import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { DesktopApi } from '../../shared/contract.ts';
import type { NextDropOptions } from '../../shared/publishing.ts';
import type { NextDrop } from '../state/options.ts';

/** Longer text than this is wrong in any case, and is not sent whole. */
const LONGEST = 1_000;

/**
 * What the next drop gets. The app has what the window shows, for drops that do not come through the window.
 *
 * @returns it, and its latest value.
 */
export function useOptions({ commands, events }: DesktopApi) {
  const [options, setOptions] = useState<NextDropOptions>({});
  const [round, setRound] = useState(0);
  const latest = useRef(options);
  latest.current = options;

  const restart = useCallback(() => {
    setOptions({});
    setRound((before) => before + 1);
  }, []);
  useEffect(() => events.dropTaken(restart), [events, restart]);
  // A window that is loaded again shows nothing that was set before.
  useEffect(() => void commands.setNextDrop({}), [commands]);

  const nextDrop = useMemo((): NextDrop => {
    const send = (next: NextDropOptions) => void commands.setNextDrop(shortened(next));
    return {
      options,
      round,
      set(next) {
        setOptions(next);
        send(next);
      },
      clear() {
        restart();
        send({});
      },
    };
  }, [options, round, commands, restart]);
  return { nextDrop, latest };
}

function shortened({ domain, password, ...others }: NextDropOptions): NextDropOptions {
  return {
    ...others,
    ...(domain !== undefined && { domain: domain.slice(0, LONGEST) }),
    ...(password !== undefined && { password: password.slice(0, LONGEST) }),
  };
}
