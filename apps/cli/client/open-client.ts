import { err } from '../output/sink.ts';
import { type Options, toGivenServer } from '../program/options.ts';
import type { OpenKlausOptions } from './open-klaus.ts';
import type { SessionClient } from '@klaus/sdk/client';

/**
 * Opens the client that the options select: of the server that they name, or of this machine. Loads the HTTP client or
 * the engine, never both.
 */
export async function openClient(server: Options, options: OpenKlausOptions = {}): Promise<SessionClient> {
  const onNotice = options.onNotice ?? ((text) => err.write(`klaus: ${text}\n`));
  if (toGivenServer(server) !== undefined) {
    const { connectHttpClient } = await import('./http/http-client.ts');
    return connectHttpClient(server, onNotice);
  }
  const { createLocalClient } = await import('./local-client.ts');
  const { openKlaus } = await import('./open-klaus.ts');
  return createLocalClient(await openKlaus({ ...options, onNotice }), onNotice);
}
