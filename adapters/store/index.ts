export { createSqliteStore } from './sqlite/sqlite-store.ts';
export type { SqliteStore, SqliteStoreOptions } from './sqlite/sqlite-store.ts';
export { recoverDatabase } from './sqlite/recover.ts';
export type { RecoveryReport } from './sqlite/recover.ts';
export type { ApprovalFilter, ApprovalRow } from './sqlite/approval-row.ts';
export type { ChainReport } from './sqlite/chain.ts';
export type { ClearFilter, ClearReport } from './sqlite/clear-sessions.ts';
export type { SessionFilter, SessionRow } from './sqlite/session-row.ts';
export type { StoreStats } from './sqlite/stats.ts';
