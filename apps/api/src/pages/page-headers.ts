const DENIED_FEATURES = [
  'camera',
  'display-capture',
  'fullscreen',
  'geolocation',
  'hid',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'serial',
  'usb',
];

/** The headers of every page of the service, apart from Content-Security-Policy. Source: security §7. */
export const PAGE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  // With `no-referrer`, browsers send forms with `Origin: null`.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': DENIED_FEATURES.map((feature) => `${feature}=()`).join(', '),
} as const;
