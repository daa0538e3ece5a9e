/** Internal parts of the core that only tests may import. */
export { FAILPOINTS, type Failpoint } from '../../core/src/failpoints.ts';
export { OPERATION_ACCESS } from '../../core/src/routers/access.ts';
export { createAccount, insertApiKey } from '../../core/src/services/accounts/accounts.ts';
export { createToken } from '../../core/src/services/accounts/tokens.ts';
export { loadFiles } from '../../core/src/services/sites/load-files.ts';
export type { ContentLocation, PackFile } from '../../core/src/storage/packs.ts';
export { migrations } from '../../core/src/database/migrations/index.ts';
