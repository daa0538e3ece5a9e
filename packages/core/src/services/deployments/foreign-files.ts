import type { Warning } from '@berth/contract';

const USE_RULE_FILES = 'Write its redirects in _redirects and its headers in _headers, or both in ship.json.';
const USE_SHIP_JSON =
  'Copy its cleanUrls, trailingSlash, redirects, rewrites and headers into ship.json, which has the same keys.';

/** The configuration files of other hosts, and what replaces each of them here. */
const CONFIGURATIONS: ReadonlyMap<string, string> = new Map([
  ['netlify.toml', USE_RULE_FILES],
  ['vercel.json', USE_SHIP_JSON],
  ['now.json', USE_SHIP_JSON],
  ['firebase.json', USE_RULE_FILES],
  ['staticwebapp.config.json', USE_RULE_FILES],
  ['wrangler.toml', USE_RULE_FILES],
  ['wrangler.json', USE_RULE_FILES],
  ['wrangler.jsonc', USE_RULE_FILES],
  ['CNAME', 'Link the domain that it names to this site instead.'],
]);

/** The file that keeps GitHub Pages from building a site. */
const NO_JEKYLL = '.nojekyll';

/**
 * Warns about each file at the root that configures another host. Such a file is published and has no effect, so the site
 * would not behave as it did. Source: serving S23.
 */
export function warnOfForeignFiles(paths: readonly string[], warn: (warning: Warning) => void): void {
  const published = new Set(paths.filter((path) => !path.includes('/')));
  for (const [file, advice] of CONFIGURATIONS)
    if (published.has(file))
      warn({ file, message: `Published like any other file, but not read: it configures another host. ${advice}` });
  if (published.has('_config.yml') && !published.has(NO_JEKYLL))
    warn({
      file: '_config.yml',
      message:
        'Published like any other file, but not read: Jekyll does not run here. Deploy the folder that it builds, usually _site.',
    });
}
