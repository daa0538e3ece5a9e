/** The states of the tray. Each state has an icon. */
export const TRAY_STATUSES = ['idle', 'working', 'paused', 'offline', 'error'] as const;
export type TrayStatus = (typeof TRAY_STATUSES)[number];

/** The logo, a mooring post. */
const LOGO =
  '<rect x="3" y="1" width="10" height="4" rx="2"/><path d="M5 5h6v3q0 2 1.5 4h-9q1.5-2 1.5-4z"/><rect x="2" y="12" width="12" height="3" rx="1.5"/>';

/** The colour and sign of each badge. */
const BADGES: Readonly<Record<Exclude<TrayStatus, 'idle'>, { colour: string; sign: string }>> = {
  working: {
    colour: '#1d8ce0',
    sign: '<path d="M11.5 13.8V9.8M9.7 11.4l1.8-1.8 1.8 1.8" class="line"/>',
  },
  paused: { colour: '#7a7f87', sign: '<path d="M10.4 9.9v3.6M12.6 9.9v3.6" class="line"/>' },
  offline: { colour: '#7a7f87', sign: '<path d="M9.7 9.9l3.6 3.6M13.3 9.9l-3.6 3.6" class="line"/>' },
  error: { colour: '#d9342b', sign: '<path d="M11.5 9.5v2.4M11.5 13.7v.1" class="line"/>' },
};

/**
 * Draws the icon of a status, 16 units wide. `colour` icons are legible on light and dark panels. `template` icons are black,
 * because the macOS menu bar colours them.
 */
export function trayDrawing(status: TrayStatus, kind: 'colour' | 'template'): string {
  const badge = status === 'idle' ? null : BADGES[status];
  const logoColour = kind === 'template' ? '#000' : '#1f9aab';
  const badgeCutout = badge ? '<circle cx="11.5" cy="11.7" r="5.3" fill="#000"/>' : '';
  const signSvg = badge
    ? kind === 'template'
      ? `<mask id="sign"><rect width="17" height="17" fill="#fff"/><g style="--line:#000">${badge.sign}</g></mask><circle cx="11.5" cy="11.7" r="4.3" fill="#000" mask="url(#sign)"/>`
      : `<circle cx="11.5" cy="11.7" r="4.3" fill="${badge.colour}"/><g style="--line:#fff">${badge.sign}</g>`
    : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><style>.line{fill:none;stroke:var(--line);stroke-width:1.3;stroke-linecap:round;stroke-linejoin:round}</style><mask id="cut"><rect width="16" height="16" fill="#fff"/>${badgeCutout}</mask><g fill="${logoColour}" mask="url(#cut)">${LOGO}</g>${signSvg}</svg>`;
}
