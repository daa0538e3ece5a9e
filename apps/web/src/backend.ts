import { createClient } from '@berth/client/browser';
import { consoleFetch } from './console-fetch.ts';

/** The server of the page, called with the cookie of the session. Source: api §13. */
export const client = createClient({ server: location.origin, fetch: consoleFetch });
