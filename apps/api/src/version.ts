import manifest from '../package.json' with { type: 'json' };

/** The version of the server, as its package names it. */
export const VERSION = manifest.version;
