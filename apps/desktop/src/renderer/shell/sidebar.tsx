import './sidebar.css';
import {
  Activity,
  ArrowDownToLine,
  FolderSync,
  Globe,
  LayoutList,
  type LucideIcon,
  Send,
  Settings,
  WifiOff,
} from 'lucide-react';
import { useRef } from 'react';
import type { Page } from '../../shared/contract.ts';
import { Button } from '../components/button.tsx';
import { useShell } from '../state/shell.ts';
import { useApp } from '../state/store.ts';
import { PlaceButton } from './place-button.tsx';
import { folderSign, type PlaceSign, publishSign, seenFailures } from './place-sign.ts';
import { ServerSwitcher } from './server-switcher.tsx';

const PLACES: readonly (readonly [Page, string, LucideIcon])[] = [
  ['publish', 'Publish', Send],
  ['folders', 'Folders', FolderSync],
  ['sites', 'Sites', LayoutList],
  ['domains', 'Domains', Globe],
  ['activity', 'Activity', Activity],
];

/** Navigation, status lines, and the current account and server. */
export function Sidebar() {
  const signs = useSigns();
  return (
    <nav className="sidebar" aria-label="Pages">
      <p className="brand" aria-hidden>
        <Mark />
        <span>Berth</span>
      </p>
      <ul>
        {PLACES.map(([page, label, icon]) => (
          <li key={page}>
            <PlaceButton page={page} label={label} icon={icon} sign={signs[page]} />
          </li>
        ))}
      </ul>
      <div className="sidebar-end">
        <Lines />
        <PlaceButton page="settings" label="Settings" icon={Settings} />
        <ServerSwitcher />
      </div>
    </nav>
  );
}

/** The badges, by page. Work is shown only on other pages; failures and questions also on their own page. */
function useSigns(): Partial<Record<Page, PlaceSign | null>> {
  const { place } = useShell();
  const publishings = useApp('publishings');
  const folders = useApp('folders');
  const seen = useRef<ReadonlySet<string>>(new Set());
  // Failures that were seen on the Publish page stay seen after leaving it.
  seen.current = seenFailures(seen.current, publishings, place.page === 'publish');
  const signs = { publish: publishSign(publishings, seen.current), folders: folderSign(folders) };
  const own = signs[place.page as keyof typeof signs];
  return own?.is === 'working' ? { ...signs, [place.page]: null } : signs;
}

function Lines() {
  const { desktop, ask } = useShell();
  const { online } = useApp('session');
  const update = useApp('update');
  return (
    <div role="status">
      {!online && (
        <p className="sidebar-line" title="Offline · will resume automatically">
          <WifiOff size={15} aria-hidden />
          <span>Offline · will resume automatically</span>
        </p>
      )}
      {update.is === 'downloading' && (
        // Screen readers do not announce each percentage.
        <p className="sidebar-line is-calm" aria-live="off" title={`Downloading version ${update.version}`}>
          <ArrowDownToLine size={15} aria-hidden />
          <span>Updating… {Math.round(update.percent)}%</span>
        </p>
      )}
      {update.is === 'ready' && (
        <div className="sidebar-update">
          <p className="small">Version {update.version} is ready.</p>
          <Button
            small
            icon={ArrowDownToLine}
            title={`Restart to install version ${update.version}`}
            onClick={() => void ask(desktop.commands.restartToUpdate())}
          >
            Restart
          </Button>
        </div>
      )}
    </div>
  );
}

/** The app icon: a mooring post with a rope around it. */
function Mark() {
  return (
    <svg viewBox="0 0 16 16" width="22" height="22" aria-hidden>
      <rect width="16" height="16" rx="4" fill="var(--accent)" />
      <g fill="var(--on-accent)">
        <path d="M6 5h4v3q0 2 1 4H5q1-2 1-4z" />
        <rect x="4" y="2.5" width="8" height="2.5" rx="1.25" />
        <rect x="3" y="11.5" width="10" height="2" rx="1" />
      </g>
      <path d="M5.5 7.9h5" stroke="var(--accent)" strokeWidth="1.3" />
    </svg>
  );
}
