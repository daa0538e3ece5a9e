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
import { memo, useEffect, useMemo, useState } from 'react';
import { ListEnd, VirtualList } from '../../components/list.tsx';
import { AccountPage, Empty } from '../../components/page.tsx';
import { Select } from '../../components/select.tsx';
import { Moment } from '../../components/status.tsx';
import { useNow } from '../../state/clock.ts';
import { activityKey, useActivities } from '../../state/lists.ts';
import { dayOf, startOfDay } from '../../text/time.ts';

const ROW_HEIGHT = 44;
/** How many rows a filter looks for before it waits until the list is scrolled. */
const MIN_FILTERED_ROWS = 30;
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
  ['people', 'People and sign-in'],
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
const PEOPLE_EVENTS: ReadonlySet<string> = new Set(['session', 'passkey', 'member', 'device']);

function matches({ event, authMethod }: Activity, subject: string, actor: string): boolean {
  const kind = event.split('.', 1)[0]!;
  const isSubject = subject === '' || (subject === 'people' ? PEOPLE_EVENTS.has(kind) : kind === subject);
  return isSubject && (actor === '' || authMethod === actor);
}

function Activities() {
  const [subject, setSubject] = useState('');
  const [actor, setActor] = useState('');
  const now = useNow(60_000);
  const [announcement, setAnnouncement] = useState('');
  const list = useActivities((activity) => setAnnouncement(activityText(activity)));
  const { items, hasMore, isLoading, problem, loadMore } = list;
  const isFiltered = subject !== '' || actor !== '';
  const matching = useMemo(() => items.filter((each) => matches(each, subject, actor)), [items, subject, actor]);
  const rows = useMemo(() => toRows(matching, now), [matching, now]);
  // A filter finds only loaded activities, so it loads further pages until the window is full.
  useEffect(() => {
    if (isFiltered && matching.length < MIN_FILTERED_ROWS && hasMore && !isLoading && problem === null) loadMore();
  }, [isFiltered, matching.length, hasMore, isLoading, problem, loadMore]);
  if (items.length === 0 && !hasMore && problem === null)
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
      {rows.length === 0 && !hasMore && (
        <Empty icon={SearchX} title="Nothing found" text="No activity matches these filters." />
      )}
      <VirtualList label="Activity" items={rows} rowHeight={ROW_HEIGHT} keyOf={keyOf}>
        {(row) => (row.day === null ? <ActivityRow activity={row.activity} /> : <h2 className="day">{row.day}</h2>)}
      </VirtualList>
      <ListEnd list={list} />
    </>
  );
}

type Row = { key: string; day: string; activity: null } | { key: string; day: null; activity: Activity };

const keyOf = ({ key }: Row) => key;

function toRows(activities: readonly Activity[], now: number): Row[] {
  let lastDay = Number.NaN;
  return activities.flatMap((activity): Row[] => {
    const createdMs = activity.created * 1_000;
    const row: Row = { key: activityKey(activity), day: null, activity };
    const day = startOfDay(createdMs);
    if (day === lastDay) return [row];
    lastDay = day;
    return [{ key: String(day), day: dayOf(createdMs, now), activity: null }, row];
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
