/** A path changed between its check and its use. The operation is repeated; the error never leaves this folder. */
export class RaceError extends Error {
  constructor() {
    super('the path changed while it was being resolved');
    this.name = 'RaceError';
  }
}

/** True for errors of the kernel that show that a path has changed since it was checked. */
export function isRace(error: unknown): boolean {
  return error instanceof RaceError || ['ELOOP', 'ENOTDIR', 'ENOENT', 'EINVAL', 'EISDIR'].includes(codeOf(error));
}

/** The system's code of an error, such as `ENOENT`; '' without one. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
