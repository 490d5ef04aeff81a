import type { SessionClient } from '@klaus/sdk/client';
import { toPrintable } from '@klaus/sdk/printable';
import { err } from '../../output/sink.ts';

export const SESSION_HELP = 'session id or its beginning, or its title (default: the latest of this folder)';

/** The given id, or that of the latest session of this folder, which is printed. */
export async function chooseSession(client: Pick<SessionClient, 'latest'>, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { id, title } = await client.latest({});
  err.write(`Session ${id}${title ? `, ${toPrintable(title)}` : ''}\n`);
  return id;
}
