/** True for an error of the engine or of the command line, which has a code. It loads neither. */
export function isKlausError(error: unknown): error is Error & { code: string; hint: string | undefined } {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'string' && 'hint' in error;
}
