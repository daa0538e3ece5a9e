import { renderUnicodeCompact } from 'uqr';
import type { Line } from '../terminal.ts';

/** Renders the QR code of a link, about 30 columns wide. Its colours do not depend on those of the terminal. */
export function renderQrCode(url: string): Line[] {
  const rows = renderUnicodeCompact(url, { border: 1 }).split('\n');
  return rows.map((text) => ['  ', { colour: 'paper', text }]);
}
