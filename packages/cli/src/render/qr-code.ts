import { renderUnicodeCompact } from 'uqr';
import type { Line } from '../terminal.ts';

/** The width of the white border that a reader needs, in modules. Most read a narrower one than the standard demands. */
const QUIET_ZONE = 2;

/** Renders the QR code of a link, about 30 columns wide. Its colours do not depend on those of the terminal. */
export function renderQrCode(url: string): Line[] {
  const rows = renderUnicodeCompact(url, { border: QUIET_ZONE }).split('\n');
  return rows.map((text) => ['  ', { colour: 'paper', text }]);
}
