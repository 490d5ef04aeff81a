import type { Command } from 'commander';
import { err } from '../output/sink.ts';

/** Options of a command that acts here or on a server elsewhere. */
export interface ServerOptions {
  server?: string;
  tokenFile?: string;
}

/** The word that means this machine, where KLAUS_SERVER names a server. */
const HERE = 'local';

/** The server that a command is meant for, as it was given; undefined for this machine. Loads nothing. */
export function toGivenServer({ server }: ServerOptions): string | undefined {
  const given = server ?? process.env['KLAUS_SERVER'];
  return given === undefined || given === '' || given === HERE ? undefined : given;
}

/** `--server` and `--token-file`. */
export function addServerOptions(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'act on a klaus serve: http://host:port, https://… or unix:/path; local means this machine (default: KLAUS_SERVER)',
    )
    .option('--token-file <file>', "file with the server's token (default: KLAUS_SERVER_TOKEN_FILE)");
}

/** Commands that have nothing to do with any session: that KLAUS_SERVER names a server makes no difference to them. */
const OF_THIS_MACHINE: ReadonlySet<string> = new Set([
  'serve',
  'doctor',
  'gate',
  'config',
  'db',
  'demo',
  'model-server',
  'completion',
  'policy',
  'secrets',
]);

/** Says so where KLAUS_SERVER names a server and a command without `--server` acts on this machine all the same. */
export function sayWhereItActs(command: Command): void {
  const path: string[] = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) path.unshift(each.name());
  const takesServer = command.options.some(({ long }) => long === '--server');
  if (toGivenServer({}) === undefined || takesServer || OF_THIS_MACHINE.has(path[0] ?? '')) return;
  err.write(`klaus: klaus ${path.join(' ')} acts on the sessions of this machine; KLAUS_SERVER means nothing to it.\n`);
}
