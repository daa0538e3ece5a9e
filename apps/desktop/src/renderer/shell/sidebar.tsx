import '@berth/ui/styles/sidebar.css';
import './sidebar.css';
import * as icons from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import type { Page } from '../../shared/contract.ts';
import type { Server } from '../../shared/session.ts';
import { Button } from '@berth/ui/components/button';
import { MenuList } from '@berth/ui/components/menu';
import { hostOf } from '@berth/ui/text/url';
import { currentServer, emailOf, signInText } from '../state/account.ts';
import { useShell } from '../state/shell.ts';
import { useAppState } from '../state/store.ts';
import { AppIcon } from './app-icon.tsx';
import { foldersBadge, type NavBadge, publishBadge, seenFailures } from './nav-badge.ts';

const NAV_ITEMS: readonly (readonly [Page, string, icons.LucideIcon])[] = [
  ['publish', 'Publish', icons.Send],
  ['folders', 'Folders', icons.FolderSync],
  ['sites', 'Sites', icons.LayoutList],
  ['domains', 'Domains', icons.Globe],
  ['activity', 'Activity', icons.Activity],
];

export function Sidebar() {
  const badges = useBadges();
  return (
    <nav className="sidebar" aria-label="Pages">
      <p className="brand" aria-hidden>
        <AppIcon />
        <span>Berth</span>
      </p>
      <ul>
        {NAV_ITEMS.map(([page, label, icon]) => (
          <li key={page}>
            <NavButton page={page} label={label} icon={icon} badge={badges[page]} />
          </li>
        ))}
      </ul>
      <div className="sidebar-end">
        <StatusLines />
        <NavButton page="settings" label="Settings" icon={icons.Settings} />
        <ServerSwitcher />
      </div>
    </nav>
  );
}

/** Returns the badges by page. The badge of the shown page can count failures and questions, but not work. */
function useBadges(): Partial<Record<Page, NavBadge | null>> {
  const { route } = useShell();
  const publishings = useAppState('publishings');
  const folders = useAppState('folders');
  const [seenBefore, setSeen] = useState<ReadonlySet<string>>(new Set());
  // Failures that the user has seen on the Publish page stay seen on other pages.
  const seen = seenFailures(seenBefore, publishings, route.page === 'publish');
  // Only what was really shown counts: React may draw and discard a page.
  useEffect(() => setSeen(seen), [seen]);
  const badges = { publish: publishBadge(publishings, seen), folders: foldersBadge(folders) };
  const pageBadge = badges[route.page as keyof typeof badges];
  return pageBadge?.is === 'working' ? { ...badges, [route.page]: null } : badges;
}

interface NavButtonProps {
  page: Page;
  label: string;
  icon: icons.LucideIcon;
  badge?: NavBadge | null | undefined;
}

function NavButton({ page, label, icon: Icon, badge = null }: NavButtonProps) {
  const { route, navigate } = useShell();
  const name = badge === null ? label : `${label}: ${badge.text}`;
  return (
    <button
      type="button"
      className="nav-item"
      title={name}
      aria-label={badge === null ? undefined : name}
      aria-current={route.page === page ? 'page' : undefined}
      onClick={() => navigate({ page })}
    >
      <Icon size={17} strokeWidth={1.8} aria-hidden />
      <span className="nav-label">{label}</span>
      {badge && (
        <span className={`nav-badge is-${badge.is}`}>
          {(badge.is !== 'working' || badge.count > 1) && <span>{badge.count}</span>}
          {badge.is === 'working' && <icons.LoaderCircle size={13} strokeWidth={2.4} className="turning" />}
        </span>
      )}
    </button>
  );
}

function StatusLines() {
  const { commands, ask } = useShell();
  const { online } = useAppState('session');
  const update = useAppState('update');
  return (
    <div role="status">
      {!online && (
        <p className="sidebar-line" title="Offline · Berth resumes automatically">
          <icons.WifiOff size={15} aria-hidden />
          <span>Offline · Berth resumes automatically</span>
        </p>
      )}
      {update.is === 'downloading' && (
        // Screen readers must not announce each percentage.
        <p className="sidebar-line is-calm" aria-live="off" title={`Downloading version ${update.version}`}>
          <icons.ArrowDownToLine size={15} aria-hidden />
          <span>Updating… {Math.round(update.percent)}%</span>
        </p>
      )}
      {update.is === 'ready' && (
        <div className="sidebar-update">
          <p className="small">Version {update.version} is ready.</p>
          <Button
            label="Restart"
            small
            icon={icons.ArrowDownToLine}
            title={`Restart to install version ${update.version}`}
            onClick={() => void ask(commands.restartToUpdate())}
          />
        </div>
      )}
    </div>
  );
}

function ServerSwitcher() {
  const { commands, ask, navigate } = useShell();
  const session = useAppState('session');
  const id = useId();
  const server = currentServer(session);
  const name = signInText(server);
  return (
    <>
      <button
        type="button"
        className="switcher"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={`Account and server: ${name}, ${hostOf(server.origin)}`}
        title={`${name}, ${hostOf(server.origin)}`}
      >
        <Avatar server={server} />
        <span className="clip">
          <span className="clip">{name}</span>
          <span className="clip small soft">{hostOf(server.origin)}</span>
        </span>
        <icons.ChevronsUpDown size={14} aria-hidden />
      </button>
      <MenuList
        id={id}
        side="above"
        label="Servers"
        items={[
          ...session.servers.map((each) => ({
            label: hostOf(each.origin),
            hint: signInText(each),
            icon: each.origin === session.current ? icons.CircleCheck : icons.Server,
            checked: each.origin === session.current,
            run: () => void ask(commands.chooseServer({ origin: each.origin })),
          })),
          { label: 'Account and servers…', icon: icons.Plus, run: () => navigate({ page: 'settings' }) },
        ]}
      />
    </>
  );
}

function Avatar({ server }: { server: Server }) {
  const email = emailOf(server);
  const isBad = server.signIn.is === 'refused' || server.signIn.is === 'unreachable';
  return (
    <span className={`avatar${isBad ? ' is-bad' : email === null ? ' is-anonymous' : ''}`} aria-hidden>
      {email === null ? <icons.UserRound size={15} /> : email.slice(0, 1)}
    </span>
  );
}
