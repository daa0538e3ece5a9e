import manifest from '../package.json' with { type: 'json' };

/** The version of the server, from its package.json. */
export const VERSION = manifest.version;
