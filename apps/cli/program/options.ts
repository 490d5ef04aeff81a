import type { Effort, Mode, OnAsk, SandboxName, Scope } from '@klaus/sdk';
import type { Command } from 'commander';

/**
 * Values of the options that several commands have in common: an option has the same meaning in each command that
 * declares it. A command adds the type of an option that only it has.
 */
export interface Options {
  json?: true;
  outputFormat?: OutputFormat;
  /** File. */
  outputSchema?: string;
  plain?: true;
  raw?: true;
  yes?: true;
  /** Seconds. */
  timeout?: number;
  server?: string;
  tokenFile?: string;
  session?: string;
  cwd?: string;
  model?: string;
  /** Names of models. */
  fallback?: readonly string[];
  agent?: string;
  runner?: 'acp' | 'claude-code';
  trustCommand?: true;
  untrusted?: boolean;
  /** Names of agents. */
  worker?: readonly string[];
  effort?: Effort;
  temperature?: number;
  approve?: Mode;
  onAsk?: OnAsk;
  sandbox?: SandboxName;
  isolate?: true;
  worktree?: true;
  withChanges?: true;
  /** `key=value`. */
  set?: readonly string[];
  budgetUsd?: number;
  budgetTokens?: number;
  maxTurns?: number;
  maxToolCalls?: number;
  maxMinutes?: number;
  prompt?: string;
  continue?: true;
  allowAnyWorkspace?: true;
  root?: string;
  addDir?: readonly string[];
  pin?: true;
  /** Milliseconds. */
  waitForModel?: number;
  /** Texts of one grant. */
  grant?: readonly string[];
  /** Judge as where there is no sandbox. */
  host?: boolean;
  /** Presets and hosts. */
  allowNet?: readonly string[];
  /** Names of variables, or beginnings of names that end in `*`. */
  env?: readonly string[];
  note?: string;
  hunks?: readonly string[];
  rejectHunks?: readonly string[];
  /** `id=file`. */
  edit?: readonly string[];
  /** `name=value`. */
  field?: readonly string[];
  scope?: Scope;
  /** File with the accepted text of a plan. */
  plan?: string;
  mode?: 'ask' | 'edits' | 'auto';
  dryRun?: true;
  keep?: true;
  overwrite?: true;
}

/** `text`: the answer. `json`: one document at the end. `stream-json`: the events, as with `--json`. */
export const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export function toOutputFormat({ json, outputFormat }: Options): OutputFormat {
  return outputFormat ?? (json ? 'stream-json' : 'text');
}

/** The value that selects this machine, also when KLAUS_SERVER names a server. */
const THIS_MACHINE = 'local';

/** The server of the options or of KLAUS_SERVER, as the user wrote it; undefined for this machine. */
export function toGivenServer({ server }: Options): string | undefined {
  const given = server ?? process.env['KLAUS_SERVER'];
  return given === undefined || given === '' || given === THIS_MACHINE ? undefined : given;
}

/** True if the sessions are on another machine, as far as the address shows it. */
export function isOtherMachine(options: Options): boolean {
  const server = toGivenServer(options);
  return server !== undefined && !server.startsWith('unix:');
}

export function addServerOptions(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'use a running klaus serve: http://host:port, https://… or unix:/path; local means this machine (default: KLAUS_SERVER)',
    )
    .option('--token-file <file>', "file with the server's token (default: KLAUS_SERVER_TOKEN_FILE)");
}
