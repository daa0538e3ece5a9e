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

/** {@link Link} as an icon. @param what Completes the button's name “Open …”. */
export function OpenIcon({ url, what }: { url: string; what: string }) {
  const { openLink } = useShell();
  return <IconButton icon={ExternalLink} label={`Open ${what}`} onClick={() => openLink(url)} />;
}

const COPIED_MS = 2_000;

interface CopyProps {
  text: string;
  /** Noun for the button's name, such as `link`. */
  what: string;
}

/** Copies a text to the clipboard, then shows “Copied” for a moment. */
export function CopyButton({ text, what, label = 'Copy' }: CopyProps & { label?: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <Button
      small
      icon={isCopied ? Check : Copy}
      onClick={copy}
      aria-label={isCopied ? `Copied ${what}` : `${label} ${what}`}
    >
      {isCopied ? 'Copied' : label}
    </Button>
  );
}

/** {@link CopyButton} as an icon. */
export function CopyIcon({ text, what }: CopyProps) {
  const { isCopied, copy } = useCopy(text);
  return (
    <IconButton
      icon={isCopied ? Check : Copy}
      label={isCopied ? `Copied ${what}` : `Copy ${what}`}
      className={isCopied ? 'is-good' : ''}
      onClick={copy}
    />
  );
}

function useCopy(text: string) {
  const { commands, ask } = useShell();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (await ask(commands.copy({ text }))) setCopied(true);
  };
  return { isCopied, copy };
}

/** A button that shows a link as a QR code. */
export function QrButton({ url }: { url: string }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small icon={QrCode} popoverTarget={id} aria-label="Show QR code">
        QR
      </Button>
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
  // A single path: each dark module is a square of one unit.
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" role="img" aria-label={`QR code of ${url}`}>
      <path d={path} fill="#000" />
    </svg>
  );
}
