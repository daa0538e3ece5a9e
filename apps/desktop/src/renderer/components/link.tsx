import './link.css';
import { Check, Copy, ExternalLink, QrCode } from 'lucide-react';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { encode } from 'uqr';
import { hostOf } from '../state/account.ts';
import { useShell } from '../state/shell.ts';
import { Button, IconButton } from './button.tsx';

/** A link that opens in the system browser. */
export function Link({ url, className = '', children }: { url: string; className?: string; children?: ReactNode }) {
  const { openLink } = useShell();
  return (
    <a
      href={url}
      title={url}
      draggable={false}
      className={`link ${className}`}
      onClick={(event) => {
        event.preventDefault();
        openLink(url);
      }}
    >
      {children ?? url.replace(/^https?:\/\//, '').replace(/\/$/, '')}
    </a>
  );
}

/** An icon that opens a link in the system browser. @param subject The word after “Open” in the name of the icon. */
export function OpenIcon({ url, subject }: { url: string; subject: string }) {
  const { openLink } = useShell();
  return <IconButton icon={ExternalLink} label={`Open ${subject}`} onClick={() => openLink(url)} />;
}

const COPIED_MS = 2_000;

interface CopyButtonProps {
  text: string;
  /** The words after “Copy” in the name of the button, such as `link`. */
  subject: string;
  /** The text of the button. Without a label, the button is an icon. */
  label?: string;
}

/** Copies a text to the clipboard, then shows for two seconds that the text is copied. */
export function CopyButton({ text, subject, label }: CopyButtonProps) {
  const { commands, ask } = useShell();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copyLink = async () => {
    if (await ask(commands.copy({ text }))) setCopied(true);
  };
  const icon = isCopied ? Check : Copy;
  const name = isCopied ? `Copied ${subject}` : `${label ?? 'Copy'} ${subject}`;
  if (label === undefined)
    return <IconButton icon={icon} label={name} className={isCopied ? 'is-good' : ''} onClick={copyLink} />;
  return <Button label={isCopied ? 'Copied' : label} small icon={icon} onClick={copyLink} aria-label={name} />;
}

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
        {isOpen && <Qr url={url} />}
        <p className="small soft">Scan with a phone’s camera.</p>
      </div>
    </>
  );
}

function Qr({ url }: { url: string }) {
  const { data, size } = encode(url, { border: 2 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" role="img" aria-label={`QR code of ${url}`}>
      <path d={path} fill="#000" />
    </svg>
  );
}
