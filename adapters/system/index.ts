export { findBlockingFile } from './blocking-file.ts';
export { distrustFolder, isDistrusted, toHostEnvironment, toHostPath } from './host-path.ts';
export { findListener, type Listener } from './listener.ts';
export { isOwnPort, protectPort } from './own-ports.ts';
export { writeCacheFile } from './cache-file.ts';
export { Connection, isSpaceMissing, toStorageFailure } from './connection.ts';
export { checkDatabaseFile, checkKind, NotAFileError } from './database-file.ts';
export {
  copyForeignFileSync,
  isRegularFile,
  openForeignFileSync,
  readForeignBytes,
  readForeignBytesSync,
  readForeignFile,
  readForeignFileSync,
  type ForeignFile,
  type ForeignFileOptions,
} from './foreign-file.ts';
export { isFolder, isPlainFolder, listEntries, listFolders, listNames } from './list-folder.ts';
export { makeFolder, syncFolder } from './make-folder.ts';
export { createKeyring, type Keyring } from './keyring.ts';
export { toProgramBinds } from './program-binds.ts';
export { findObstacle, isMissing, toLine, toStart, type SearchedProgram } from './program-start.ts';
export {
  findUserProxy,
  isLoopback,
  parseProxy,
  toProxyEnvironment,
  type Environment,
  type UserProxy,
} from './user-proxy.ts';
export { listUserGitSettings } from './user-git-settings.ts';
