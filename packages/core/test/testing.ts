/** Exports for the tests of other packages: databases and cores. */
export { createTemplate, createTestDatabase, type TestDatabase } from './test-database.ts';
export { createTestCore, type TestCore } from './test-core.ts';
export { type DnsServer, type Fault, type Records, startDnsServer } from './dns-server.ts';
