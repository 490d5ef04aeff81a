export { createSqliteStore, type SqliteStore } from './sqlite/sqlite-store.ts';
export { type FileLock, lockFile } from './sqlite/locks/file-lock.ts';
export { openInstanceTable, type InstanceRow, type InstanceTable } from './sqlite/instance-table.ts';
export { exportKlaude } from './sqlite/queries/export-klaude.ts';
export { queryDatabase, type QueryResult } from './sqlite/queries/query-database.ts';
export { recoverDatabase, type RecoveryReport } from './sqlite/recovery/recover.ts';
