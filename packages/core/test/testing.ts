/** What tests of other packages use: databases and cores of their own. */
export { createTemplate, createTestDatabase, type TestDatabase } from './test-database.ts';
export { createTestCore, type TestCore } from './test-core.ts';
export { type DnsServer, type Fault, type Records, startDnsServer } from './dns-server.ts';
