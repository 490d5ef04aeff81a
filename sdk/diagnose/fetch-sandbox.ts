import { toHome } from '../config/home.ts';

/**
 * Fetches bubblewrap by apt into `KLAUS_HOME`, where it is not installed.
 *
 * @param options.env Default: that of the process.
 * @returns Why it could not; undefined when it is there.
 */
export async function fetchSandbox(options: {
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
}): Promise<string | undefined> {
  const { fetchBubblewrap } = await import('@klaus/adapters/sandboxes');
  const env = options.env ?? process.env;
  return (await fetchBubblewrap(toHome(env, options.cwd ?? process.cwd()), { env })).reason;
}
