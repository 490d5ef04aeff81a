import { toHome } from '../config/home.ts';

/**
 * Downloads bubblewrap with apt into `KLAUS_HOME` if it is not installed.
 *
 * @param options.env Default: that of the process.
 * @returns The reason of a failure; undefined on success.
 */
export async function fetchSandbox(options: {
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
}): Promise<string | undefined> {
  const { fetchBubblewrap } = await import('@klaus/adapters/sandboxes');
  const env = options.env ?? process.env;
  return (await fetchBubblewrap(toHome(env, options.cwd ?? process.cwd()), { env })).reason;
}
