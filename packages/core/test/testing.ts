/** What the tests of other packages use of the core: databases, cores, accounts, and what only tests may see. */
export { createTemplate, createTestDatabase, type TestDatabase } from './test-database.ts';
export { type DnsServer, startDnsServer } from './dns-server.ts';
export { FAILPOINTS, type Failpoint } from '../src/failpoints.ts';
export { OPERATION_ACCESS } from '../src/routers/access.ts';
export { createAccount, insertApiKey } from '../src/services/accounts/accounts.ts';
export { createToken } from '../src/services/accounts/tokens.ts';
export type { ContentLocation, PackFile } from '../src/storage/packs.ts';
