/** Exports for the tests of other packages: databases and cores. */
export { createTemplate, createTestDatabase, type TestDatabase } from './test-database.ts';
export { type DnsServer, startDnsServer } from './dns-server.ts';
