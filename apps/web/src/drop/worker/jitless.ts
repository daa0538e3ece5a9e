import { config } from 'zod';

// By default, zod tries whether it may compile code, which the policy of the console reports as a violation. This module must
// be imported before any schema.
config({ jitless: true });
