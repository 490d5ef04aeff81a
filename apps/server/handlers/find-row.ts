import { isKlausError, KlausError, type SessionRow } from '@klaus/sdk';
import type { Context } from '../http/handler.ts';

/**
 * A session that the sender may see.
 *
 * @param id Complete, or a prefix.
 * @throws KlausError `usage` if there is none. A session of another project is one that does not exist: the error names no
 *   other session then, and a prefix that others have too is not resolved.
 */
export async function findRow({ klaus, seen }: Pick<Context, 'klaus' | 'seen'>, id: string): Promise<SessionRow> {
  const read = async (): Promise<SessionRow> => (await klaus.store.session((await klaus.session(id)).id))!;
  if (seen.isComplete) return read();
  const row = await read().catch((error: unknown) => {
    if (isKlausError(error) && error.code === 'usage') return undefined;
    throw error;
  });
  if (row && seen.sees(row.workspace)) return row;
  throw new KlausError('usage', `There is no session ${id.slice(0, 100)} in your projects.`, {
    hint: '`GET /api/sessions` lists them.',
  });
}
