import './activity-page.css';
import { activityText, actorOf } from '@berth/client/activity-text';
import type { Activity } from '@berth/contract';
import {
  Activity as ActivityIcon,
  CircleDot,
  Globe,
  KeyRound,
  LogIn,
  type LucideIcon,
  MonitorSmartphone,
  SearchX,
  Send,
  UserRound,
  Users,
} from 'lucide-react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { ListEnd, VirtualList } from '../../components/list.tsx';
import { AccountPage, Empty } from '../../components/page.tsx';
import { Select } from '../../components/select.tsx';
import { Moment, StatusLine } from '../../components/status.tsx';
import { useAccount } from '../../state/account.ts';
import { useNow } from '../../state/clock.ts';
import { activityKey, useActivities } from '../../state/lists.ts';
import { dayOf, startOfDay } from '../../text/time.ts';

const ROW_HEIGHT = 44;
const ICONS: Partial<Record<string, LucideIcon>> = {
  account: UserRound,
  deployment: Send,
  domain: Globe,
  token: KeyRound,
  session: LogIn,
  passkey: KeyRound,
  member: Users,
  device: MonitorSmartphone,
};

export function ActivityPage() {
  return (
    <AccountPage title="Activity">
      <Activities />
    </AccountPage>
  );
}

/** What the list shows: everything, or only what is about one kind of thing or caused by one kind of actor. */
const SUBJECTS = [
  ['', 'Everything'],
  ['deployment', 'Sites'],
  ['domain', 'Domains'],
  ['token', 'Tokens'],
  ['session,passkey,member,device', 'People and sign-in'],
  ['account', 'Account'],
] as const;
const ACTORS = [
  ['', 'Everyone'],
  ['session', 'People in the console'],
  ['api-key', 'API keys'],
  ['deploy-token', 'Deploy tokens'],
  ['operator', 'The operator'],
  ['system', 'The server'],
] as const;

function Activities() {
  const [subject, setSubject] = useState('');
  const [actor, setActor] = useState('');
  const now = useNow(60_000);
  const [announcement, setAnnouncement] = useState('');
  const filter = useMemo(() => ({ event: subject || undefined, authMethod: actor || undefined }), [subject, actor]);
  const list = useActivities(filter, (activity) => setAnnouncement(activityText(activity)));
  const { items, hasMore, problem } = list;
  const { isConnected } = useAccount();
  const gaps = useGaps(items[0], isConnected);
  const isFiltered = subject !== '' || actor !== '';
  const rows = useMemo(() => toRows(items, now, gaps), [items, now, gaps]);
  if (!isFiltered && items.length === 0 && !hasMore && problem === null)
    return <Empty icon={ActivityIcon} title="No activity yet" text="Deploys and changes appear here." />;
  return (
    <>
      <p className="hidden" aria-live="polite">
        {announcement}
      </p>
      <div className="filters">
        <Select label="About" value={subject} options={SUBJECTS} onChange={setSubject} />
        <Select label="By" value={actor} options={ACTORS} onChange={setActor} />
      </div>
      {!isConnected && (
        <StatusLine tone="warn">The connection is lost. New activity appears when it is back.</StatusLine>
      )}
      {rows.length === 0 && !hasMore && problem === null && (
        <Empty icon={SearchX} title="Nothing found" text="No activity matches these filters." />
      )}
      <VirtualList label="Activity" items={rows} rowHeight={ROW_HEIGHT} keyOf={keyOf}>
        {(row) => {
          if (row.is === 'activity') return <ActivityRow activity={row.activity} />;
          if (row.is === 'day') return <h2 className="day">{row.day}</h2>;
          return <p className="gap">The connection was lost here</p>;
        }}
      </VirtualList>
      <ListEnd list={list} />
    </>
  );
}

type Row =
  | { is: 'activity'; key: string; activity: Activity }
  | { is: 'day'; key: string; day: string }
  | { is: 'gap'; key: string };

const keyOf = ({ key }: Row) => key;

/** Returns the keys of the activities that were the newest each time that the connection was lost. */
function useGaps(newest: Activity | undefined, isConnected: boolean): ReadonlySet<string> {
  const [gaps, setGaps] = useState<ReadonlySet<string>>(new Set());
  const newestKey = useRef<string | null>(null);
  // While the connection is lost, the list does not change.
  newestKey.current = newest === undefined ? null : activityKey(newest);
  useEffect(() => {
    const key = newestKey.current;
    if (!isConnected && key !== null) setGaps((before) => new Set([...before, key]));
  }, [isConnected]);
  return gaps;
}

/** Puts a heading above the activities of each day, and a line above each gap, unless nothing is newer. */
function toRows(activities: readonly Activity[], now: number, gaps: ReadonlySet<string>): Row[] {
  let lastDay = Number.NaN;
  return activities.flatMap((activity, at): Row[] => {
    const createdMs = activity.created * 1_000;
    const key = activityKey(activity);
    const rows: Row[] = [{ is: 'activity', key, activity }];
    const day = startOfDay(createdMs);
    if (day !== lastDay) rows.unshift({ is: 'day', key: String(day), day: dayOf(createdMs, now) });
    lastDay = day;
    if (gaps.has(key) && at > 0) rows.unshift({ is: 'gap', key: `gap ${key}` });
    return rows;
  });
}

const ActivityRow = memo(function ActivityRow({ activity }: { activity: Activity }) {
  const Icon = ICONS[activity.event.split('.', 1)[0]!] ?? CircleDot;
  const actor = actorOf(activity);
  return (
    <div className="activity">
      <Icon size={15} aria-hidden />
      <p className="selectable" title={activityText(activity)}>
        {activityText(activity)}
        {actor !== null && <span className="soft"> · {actor}</span>}
      </p>
      <Moment at={activity.created * 1_000} className="small soft" />
    </div>
  );
});
