import { moment } from '@berth/client/amounts';
import { useNow } from '../state/clock.ts';
import { ago } from '../text/time.ts';

/** A relative time, such as `2 min ago`, with the exact time as its tooltip. @param at Unix milliseconds. */
export function Moment({ at, className }: { at: number; className?: string }) {
  const now = useNow();
  return (
    <time className={className} dateTime={new Date(at).toISOString()} title={moment(Math.floor(at / 1_000))}>
      {ago(at, now)}
    </time>
  );
}
