import './link.css';
import { Check, Copy, ExternalLink, QrCode } from 'lucide-react';
import { lazy, type MouseEvent, type ReactNode, Suspense, useEffect, useId, useState } from 'react';
import { useBackend } from '../state/backend.ts';
import { useNotes } from '../state/toasts.ts';
import { hostOf } from '../text/url.ts';
import { Button, IconButton } from './button.tsx';

/** A link that opens in the browser, outside this window. */
export function Link({ url, className = '', children }: { url: string; className?: string; children?: ReactNode }) {
  const { openLink } = useBackend();
  const open = (event: MouseEvent) => {
    if (openLink === null) return;
    event.preventDefault();
    openLink(url);
  };
  // A window that opens links itself refuses new windows, which a middle click would open.
  const openByMiddleClick = (event: MouseEvent) => {
    if (event.button === 1) open(event);
  };
  return (
    <a
      title={url}
      draggable={false}
      className={`link ${className}`}
      onClick={open}
      onAuxClick={openByMiddleClick}
      {...inNewTab(url)}
    >
      {children ?? url.replace(/^https?:\/\//, '').replace(/\/$/, '')}
    </a>
  );
}

/** An icon that opens a link in the browser, outside this window. @param subject The word after “Open” in the name of the icon. */
export function OpenIcon({ url, subject }: { url: string; subject: string }) {
  const { openLink } = useBackend();
  const label = `Open ${subject}`;
  if (openLink !== null) return <IconButton icon={ExternalLink} label={label} onClick={() => openLink(url)} />;
  return (
    <a aria-label={label} title={label} className="icon-button" {...inNewTab(url)}>
      <ExternalLink size={16} aria-hidden />
    </a>
  );
}

/** A button that opens a link in the browser, outside this window. */
export function OpenButton({ url, variant = 'plain' }: { url: string; variant?: 'plain' | 'primary' }) {
  const { openLink } = useBackend();
  if (openLink !== null)
    return <Button label="Open" small variant={variant} icon={ExternalLink} onClick={() => openLink(url)} />;
  return (
    <a className={`button ${variant} is-small`} {...inNewTab(url)}>
      <ExternalLink size={15} aria-hidden />
      <span>Open</span>
    </a>
  );
}

const inNewTab = (url: string) => ({ href: url, target: '_blank', rel: 'noreferrer' }) as const;

const COPIED_MS = 2_000;

interface CopyButtonProps {
  text: string;
  /** The words after “Copy” in the name of the button, such as `link`. */
  subject: string;
  /** The text of the button: the beginning of its name. Without a label, the button is an icon. */
  label?: string;
}

/** Copies a text to the clipboard, then shows for two seconds that the text is copied. */
export function CopyButton({ text, subject, label }: CopyButtonProps) {
  const { copy } = useBackend();
  const { ask } = useNotes();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copyLink = async () => {
    if (await ask(copy(text))) setCopied(true);
  };
  const icon = isCopied ? Check : Copy;
  const name = `${isCopied ? 'Copied' : 'Copy'} ${subject}`;
  if (label === undefined)
    return <IconButton icon={icon} label={name} className={isCopied ? 'is-good' : ''} onClick={copyLink} />;
  return <Button label={isCopied ? 'Copied' : label} small icon={icon} onClick={copyLink} aria-label={name} />;
}

// The code is loaded when it is first needed.
const Qr = lazy(() => import('./qr.tsx'));

export function QrButton({ url }: { url: string }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button label="QR" small icon={QrCode} popoverTarget={id} aria-label="Show QR code" />
      <div
        id={id}
        popover="auto"
        className="qr"
        role="dialog"
        aria-label={`QR code of ${hostOf(url)}`}
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {isOpen && (
          <Suspense>
            <Qr url={url} />
          </Suspense>
        )}
        <p className="small soft">Scan with a phone’s camera.</p>
      </div>
    </>
  );
}
