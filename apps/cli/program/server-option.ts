import type { Command } from 'commander';

/** Options of a command that acts on this machine or on a server. */
export interface ServerOptions {
  server?: string;
  tokenFile?: string;
}

/** The value that selects this machine, also when KLAUS_SERVER names a server. */
const THIS_MACHINE = 'local';

/** The server of the options or of KLAUS_SERVER, as the user wrote it; undefined for this machine. */
export function toGivenServer({ server }: ServerOptions): string | undefined {
  const given = server ?? process.env['KLAUS_SERVER'];
  return given === undefined || given === '' || given === THIS_MACHINE ? undefined : given;
}

/** Adds `--server` and `--token-file`. */
export function addServerOptions(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'use a running klaus serve: http://host:port, https://… or unix:/path; local means this machine (default: KLAUS_SERVER)',
    )
    .option('--token-file <file>', "file with the server's token (default: KLAUS_SERVER_TOKEN_FILE)");
}
