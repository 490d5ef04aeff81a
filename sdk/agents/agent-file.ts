import { copyFileSync, constants, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Error codes of file systems without hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Writes a complete new file. False if there is one already, also when another process has just written it. */
export function createFile(file: string, text: string): boolean {
  return withTemporary(file, text, (temporary) => {
    try {
      linkSync(temporary, file);
      return true;
    } catch (error) {
      if (toCode(error) === 'EEXIST') return false;
      if (!NO_LINKS.includes(toCode(error))) throw error;
    }
    try {
      copyFileSync(temporary, file, constants.COPYFILE_EXCL);
      return true;
    } catch (error) {
      if (toCode(error) === 'EEXIST') return false;
      throw error;
    }
  });
}

/** Replaces a file at once, so that no reader finds a part of it. */
export function replaceFile(file: string, text: string): void {
  withTemporary(file, text, (temporary) => renameSync(temporary, file));
}

function withTemporary<T>(file: string, text: string, use: (temporary: string) => T): T {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    return use(temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function toCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
