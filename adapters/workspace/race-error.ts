/** Something changed between two looks at it. The look is repeated; nobody outside this folder sees it. */
export class RaceError extends Error {
  constructor() {
    super('the path changed while it was being resolved');
    this.name = 'Raced';
  }
}

/** True for the errors with which the kernel says that a checked name no longer is what it was. */
export function isRace(error: unknown): boolean {
  return error instanceof RaceError || ['ELOOP', 'ENOTDIR', 'ENOENT', 'EINVAL', 'EISDIR'].includes(codeOf(error));
}

/** The system's code of an error, such as `ENOENT`; '' when it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
