import { KlausError } from '@klaus/core/protocol';

/** `store.corrupt` for the database. */
export function corrupt(what: string): KlausError {
  return new KlausError('store.corrupt', `The Postgres database is damaged: ${what}. It was left as it is.`, {
    hint: 'Run `klaus audit verify` to see what is intact, and restore the rest from a backup.',
  });
}

/** `store.corrupt` for data of a version that this program does not know. */
export function newer(what: string): KlausError {
  return new KlausError('store.corrupt', `The Postgres database was written by a newer Klaus: ${what}.`, {
    hint: 'Update Klaus on this machine.',
  });
}
