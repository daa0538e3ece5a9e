import { PAGE_HEADERS } from '../../pages/frame.ts';

type Headers = Readonly<Record<string, string>>;

/** What the pages of the console may use of the features that {@link PAGE_HEADERS} denies. */
const ALLOWED_FEATURES = ['publickey-credentials-get', 'publickey-credentials-create', 'clipboard-write'];

/**
 * Returns the headers of the files of the console. Scripts load from `/assets/` alone, so no response of the API can be a script.
 * Nothing is inline. Only workers may compile WebAssembly, because they hash large files. Source: api §13; security §7, T17.
 *
 * @param baseUrl The origin of the API host.
 */
export function consoleHeaders(baseUrl: URL): { shell: Headers; worker: Headers; asset: Headers } {
  const assets = `${baseUrl.origin}/assets/`;
  const hardening: Headers = {
    ...PAGE_HEADERS,
    ...(baseUrl.protocol === 'https:' && { 'Strict-Transport-Security': 'max-age=31536000' }),
    'X-Robots-Tag': 'noindex',
  };
  return {
    shell: {
      ...hardening,
      'Permissions-Policy': allowFeatures(PAGE_HEADERS['Permissions-Policy']),
      'Content-Security-Policy': policyOf({
        'default-src': "'none'",
        'script-src': assets,
        'style-src': assets,
        'connect-src': "'self'",
        'img-src': "'self' data:",
        'font-src': "'self'",
        'worker-src': "'self'",
        'form-action': "'self'",
        'base-uri': "'none'",
        'frame-ancestors': "'none'",
        'require-trusted-types-for': "'script'",
        'trusted-types': 'berth',
      }),
    },
    worker: {
      ...hardening,
      'Content-Security-Policy': policyOf({
        'default-src': "'none'",
        'script-src': `${assets} 'wasm-unsafe-eval'`,
        'connect-src': "'self'",
        'require-trusted-types-for': "'script'",
        'trusted-types': "'none'",
      }),
    },
    asset: {
      ...hardening,
      'Content-Security-Policy': policyOf({ 'default-src': "'none'", 'frame-ancestors': "'none'" }),
    },
  };
}

function policyOf(directives: Headers): string {
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

function allowFeatures(denied: string): string {
  const others = denied.split(', ').filter((feature) => !ALLOWED_FEATURES.some((name) => feature === `${name}=()`));
  return [...others, ...ALLOWED_FEATURES.map((name) => `${name}=(self)`)].join(', ');
}
