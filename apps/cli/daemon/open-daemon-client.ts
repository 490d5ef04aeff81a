import type { SessionClient } from '@klaus/sdk/client';
import { type Options, toGivenServer } from '../program/options.ts';

/**
 * A client of the server that the options name, or of the daemon, which is started if it does not run. A daemon that is
 * killed while a session is followed is started again, and resumes the session.
 *
 * @throws CliError as `ensureDaemon`.
 */
export async function openDaemonClient(
  options: Options,
  onNotice: (text: string, level?: 'warn') => void,
): Promise<SessionClient> {
  const [{ connectHttpClient }, { ensureDaemon }] = await Promise.all([
    import('../client/http/http-client.ts'),
    import('./ensure-daemon.ts'),
  ]);
  if (toGivenServer(options) !== undefined) return connectHttpClient(options, onNotice);
  const client = await connectHttpClient(options, onNotice, await ensureDaemon());
  return {
    ...client,
    follow: (given) =>
      client.follow({
        ...given,
        onConnection(text) {
          given.onConnection(text);
          ensureDaemon().catch((error: Error) => onNotice(error.message, 'warn'));
        },
      }),
  };
}
