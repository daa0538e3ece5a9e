import './drop-window.css';
import { Button } from '@berth/ui/components/button';
import { Empty } from '@berth/ui/components/page';
import { Toasts } from '@berth/ui/components/toasts';
import { BackendContext } from '@berth/ui/state/backend';
import { NotesContext, useToasts } from '@berth/ui/state/toasts';
import { hostOf } from '@berth/ui/text/url';
import { AppWindow, CloudAlert, FolderOpen, Server, Upload, WifiOff } from 'lucide-react';
import { useMemo } from 'react';
import type { CommandInput, DesktopApi } from '../../shared/contract.ts';
import { createBackend } from '../backend.ts';
import { DropAnnouncements } from '../shell/drop-announcements.tsx';
import { Starting, useEarlyDrops } from '../shell/starting.tsx';
import { type EarlyDrop, grantDropped, useDrop } from '../shell/use-drop.ts';
import { useAppState, useSnapshot } from '../state/store.ts';
import { LastLinks } from './last-links.tsx';
import { RunningJobs } from './running-jobs.tsx';

/** The window at the tray icon: a drop zone, the progress of what was dropped, and the last links. */
export function DropWindow({ desktop }: { desktop: DesktopApi }) {
  const snapshot = useSnapshot();
  const earlyDrops = useEarlyDrops();
  if (snapshot.is === 'loading') return <Starting className="drop-window" drops={earlyDrops} />;
  return (
    <main className="drop-window">
      <h1 className="hidden">Drop window</h1>
      {snapshot.is === 'ready' ? (
        <Content desktop={desktop} earlyDrops={earlyDrops} />
      ) : (
        <Empty
          icon={CloudAlert}
          title="Berth could not start"
          text={`${snapshot.problem.message} ${snapshot.problem.next ?? ''}`}
        />
      )}
    </main>
  );
}

function Content({ desktop, earlyDrops }: { desktop: DesktopApi; earlyDrops: EarlyDrop[] }) {
  const { commands } = desktop;
  const { welcomed } = useAppState('settings');
  const { toasts, dismiss, notes } = useToasts();
  const backend = useMemo(
    () => createBackend(desktop, (url) => void notes.ask(commands.openLink({ url }))),
    [desktop, commands, notes],
  );
  const show = (target: CommandInput<'showWindow'>) => void notes.ask(commands.showWindow(target));
  return (
    <BackendContext value={backend}>
      <NotesContext value={notes}>
        {welcomed ? (
          <>
            <DropZone
              earlyDrops={earlyDrops}
              onDrop={async (files, pasted) => {
                const granted = await grantDropped({ ...desktop, ...notes }, files);
                if (granted === null) return;
                const grants = granted.map(({ grant }) => grant);
                await notes.ask(commands.publish(pasted ? { grants, pasted } : { grants }));
              }}
              onChoose={() => show({ page: 'publish', choose: true })}
            />
            <div className="drop-window-lists" role="region" aria-label="Progress and last links" tabIndex={0}>
              <RunningJobs onShow={(page, id) => show({ page, id })} />
              <LastLinks />
            </div>
            <Footer onOpen={() => show({ page: 'publish' })} />
          </>
        ) : (
          <Empty icon={AppWindow} title="Set up Berth first" text="Choose a server in the window of Berth.">
            <Button label="Open Berth" variant="primary" onClick={() => show({ page: 'publish' })} />
          </Empty>
        )}
        <Toasts toasts={toasts} dismiss={dismiss} />
        <DropAnnouncements />
      </NotesContext>
    </BackendContext>
  );
}

interface DropZoneProps {
  /** Drops to publish, which came before the window was ready. */
  earlyDrops: EarlyDrop[];
  onDrop: (files: File[], pasted: boolean) => void;
  onChoose: () => void;
}

/** Takes drops and pastes anywhere in the window. */
function DropZone({ earlyDrops, onDrop, onChoose }: DropZoneProps) {
  const isOver = useDrop((files, target) => onDrop(files, target === 'pasted'), earlyDrops) !== null;
  return (
    <section className={isOver ? 'drop-window-zone is-active' : 'drop-window-zone'} aria-label="Publish something">
      <Upload size={22} strokeWidth={1.6} aria-hidden />
      <h2>{isOver ? 'Drop to publish' : 'Drop a folder, get a link'}</h2>
      <Button label="Choose folder…" small icon={FolderOpen} onClick={onChoose} />
    </section>
  );
}

function Footer({ onOpen }: { onOpen: () => void }) {
  const { current, online } = useAppState('session');
  const Icon = online ? Server : WifiOff;
  return (
    <footer className="drop-window-foot">
      <p className={online ? 'small soft' : 'small is-offline'} role="status">
        <Icon size={14} aria-hidden />
        <span className="clip">{online ? hostOf(current) : 'Offline · resumes automatically'}</span>
      </p>
      <Button label="Open Berth" small onClick={onOpen} />
    </footer>
  );
}
