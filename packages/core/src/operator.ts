/** The actions of the operator, for any account and site. */
export {
  actForAccount,
  createApiKey,
  getBilling,
  registerAccount,
  setAccountState,
} from './services/accounts/account-directory.ts';
export { createFirstLink } from './services/sign-in/links.ts';
export { deleteAccount } from './services/accounts/delete-account.ts';
export { listAccounts, listAllDomains, listSites } from './services/operator-lists.ts';
export { getAccount } from './services/accounts/accounts.ts';
export { addMember, listMembers, removeMember } from './services/accounts/members.ts';
export { changePlan, type PlanChangeOutcome } from './services/plan-changes/plan-changes.ts';
export { deleteToken, listTokens } from './services/accounts/tokens.ts';
export { setTakenDown } from './services/deployments/take-downs.ts';
export { doctor, type DoctorEvent } from './services/doctor/doctor.ts';
export { backup, type BackupSummary } from './services/backup/backup.ts';
export { exportAccount } from './services/backup/export-account.ts';
export { importAccount } from './services/backup/import-account.ts';
export type { AdoptedAccount } from './services/backup/adopt-account.ts';
export { type EarlierBackup, openEarlierBackup } from './services/backup/earlier-backup.ts';
export { restore, type RestoreKey, type RestoreMarker, type RestoreSummary } from './services/backup/restore.ts';
export type { BackupSource } from './storage/backup-reader.ts';
export type { ByteSink } from './storage/backup-writer.ts';
