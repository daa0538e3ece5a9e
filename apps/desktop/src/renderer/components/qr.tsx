import './qr.css';
import { QrCode } from 'lucide-react';
import { useId, useState } from 'react';
import { encode } from 'uqr';
import { hostOf } from '../state/account.ts';
import { Button } from './button.tsx';

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
