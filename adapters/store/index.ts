export { createSqliteStore } from './sqlite/sqlite-store.ts';
export type { SqliteStore, SqliteStoreOptions } from './sqlite/sqlite-store.ts';
export { lockFile } from './sqlite/locks/file-lock.ts';
export type { FileLock } from './sqlite/locks/file-lock.ts';
export { queryDatabase, type QueryResult, type QueryRow } from './sqlite/queries/query-database.ts';
export { recoverDatabase } from './sqlite/recovery/recover.ts';
export type { RecoveryReport } from './sqlite/recovery/recover.ts';
