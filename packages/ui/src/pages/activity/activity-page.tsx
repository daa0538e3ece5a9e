import './activity-page.css';
import { activityText, actorOf } from '@berth/client/activity-text';
import type { Activity } from '@berth/contract';
import { Activity as ActivityIcon, CircleDot, Globe, KeyRound, type LucideIcon, Send, UserRound } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import { ListEnd, VirtualList } from '../../components/list.tsx';
import { AccountPage, Empty } from '../../components/page.tsx';
import { Moment } from '../../components/status.tsx';
import { useNow } from '../../state/clock.ts';
import { activityKey, useActivities } from '../../state/lists.ts';
import { dayOf, startOfDay } from '../../text/time.ts';

const ROW_HEIGHT = 44;
const ICONS: Partial<Record<string, LucideIcon>> = {
  account: UserRound,
  deployment: Send,
  domain: Globe,
  token: KeyRound,
};

export function ActivityPage() {
  return (
    <AccountPage title="Activity">
      <Activities />
    </AccountPage>
  );
}

function Activities() {
  const now = useNow(60_000);
  const [announcement, setAnnouncement] = useState('');
  const list = useActivities((activity) => setAnnouncement(activityText(activity)));
  const { items, hasMore, problem } = list;

  const rows = useMemo(() => toRows(items, now), [items, now]);
  if (items.length === 0 && !hasMore && problem === null)
    return <Empty icon={ActivityIcon} title="No activity yet" text="Deploys and changes appear here." />;
  return (
    <>
      <p className="hidden" aria-live="polite">
        {announcement}
      </p>
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
