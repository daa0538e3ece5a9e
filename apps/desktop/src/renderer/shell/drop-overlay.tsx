import './drop-overlay.css';
import { FolderSync, Upload } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Problem } from '../../shared/problem.ts';
import { useAccount } from '@berth/ui/state/account';
import { useShell } from '../state/shell.ts';
import { type EarlyDrop, grantDropped, useDrop } from './use-drop.ts';

/**
 * Covers the window while files are dragged over it, and shows what a drop on each half does.
 *
 * @param props.earlyDrops Drops to publish, which came before the window was ready.
 */
export function DropOverlay({ earlyDrops }: { earlyDrops: EarlyDrop[] }) {
  const shell = useShell();
  const { showToast, publish, watch } = shell;
  const { hasAccess } = useAccount();
  const ref = useRef<HTMLDivElement>(null);

  const hover = useDrop(async (dropped, target) => {
    const grantedItems = await grantDropped(shell, dropped);
    if (grantedItems === null) return;
    if (target === 'pasted') return publish(grantedItems, { pasted: true });
    if (!hasAccess || target === 'left') return publish(grantedItems);
    const files = grantedItems.filter(({ kind }) => kind === 'file');
    if (files.length > 0) showToast(ONLY_FOLDERS, { label: 'Publish once', run: () => void publish(files) });
    watch(grantedItems.filter(({ kind }) => kind !== 'file').map(({ name, grant }) => ({ name, of: { grant } })));
  }, earlyDrops);

  const isOver = hover !== null;
  useEffect(() => {
    // Only a popover can cover a dialog, because both are in the top layer.
    if (isOver) ref.current!.showPopover();
    else ref.current!.hidePopover();
  }, [isOver]);

  const dropZone = (isActive: boolean, Icon: typeof Upload, title: string, text: string) => (
    <div className={isActive ? 'drop-zone is-active' : 'drop-zone'}>
      <Icon size={32} strokeWidth={1.6} aria-hidden />
      <strong>{title}</strong>
      <span>{text}</span>
    </div>
  );
  return (
    <div ref={ref} popover="manual" className="drop-overlay" role="status">
      {isOver && !hasAccess && dropZone(true, Upload, 'Drop to publish', 'The link is copied when the site is live')}
      {isOver && hasAccess && (
        <>
          {dropZone(hover === 'left', Upload, 'Publish once', 'A new link to the current files')}
          {dropZone(hover === 'right', FolderSync, 'Publish and watch', 'One address, kept up to date')}
        </>
      )}
    </div>
  );
}

const ONLY_FOLDERS: Problem = {
  kind: 'folder',
  message: 'Only folders can be watched.',
  next: 'You can publish the files once.',
  file: null,
};
