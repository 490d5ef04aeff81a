import type { KlausError } from '@klaus/sdk';

/** True for a KlausError of any copy of the package. The symbol is the contract: an import would load the engine. */
export function isKlausError(error: unknown): error is KlausError {
  return typeof error === 'object' && error !== null && Symbol.for('klaus.error') in error;
}

/** What the user can do about it here. @param server Undefined: the models are those of this machine. */
export function toHint({ code, hint }: KlausError, server: string | undefined): string | undefined {
  return code === 'auth' && server === undefined ? '/login sets up a model.' : hint;
}
