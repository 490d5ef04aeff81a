import { InvalidArgumentError } from 'commander';
import { toPrintable } from '@klaus/sdk/printable';
import { toFolder, toScriptedServer } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import type { CommandGroup, LeafCommand } from '../../program/cli-command.ts';
import { CliError, UsageError } from '../../program/cli-error.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { settingOption, toSettings } from '../../program/run-options.ts';
import { createInterruptSignal } from '../../prompt/interrupt-signal.ts';
import { serverCommands } from './mcp-servers.ts';

interface ServeOptions extends Omit<Options, 'root'> {
  root?: readonly string[];
  http?: true;
  port?: number;
}

const serve: LeafCommand = {
  name: 'serve',
  isDefault: true,
  summary: 'serve the tools (the default)',
  examples: [
    'klaus mcp serve',
    'klaus mcp serve --root ~/src --root ~/work',
    'klaus mcp serve --http --port 8123      prints the address and the token',
  ],
  description:
    'Serves the tools check, confirm, commit, push, validate_intent and list_repos of the Model Context Protocol on standard input and output, or over HTTP on this machine. Standard output has messages of the protocol only.',
  footer: 'With --http, the token is that of KLAUS_MCP_TOKEN, or a random one.',
  server: 'none',
  declare: (declared) =>
    declared
      .option('--root <folder...>', 'folders in which the tools work (default: CLAUDE_PROJECT_DIR, or the current one)')
      .option('--http', 'serve streamable HTTP on 127.0.0.1 instead of standard input and output')
      .option('--port <number>', 'the port, with --http (default: a free one)', toPort)
      .addOption(settingOption),
  async run({ root, http, port, ...options }: ServeOptions) {
    if (port !== undefined && !http) throw new UsageError('--port needs --http.', 'Add `--http`.');
    const roots = (root ?? [process.env['CLAUDE_PROJECT_DIR'] ?? process.cwd()]).map(toFolder);
    const log = (text: string): void => err.write(`klaus: ${toPrintable(text)}\n`);
    using stop = createInterruptSignal(['SIGINT', 'SIGTERM', 'SIGHUP']);
    const { runMcp } = await import('@klaus/claude-code/verification');
    await runMcp({
      roots,
      engine: { settings: toSettings(options), scripted: toScriptedServer, onNotice: log },
      stdin: process.stdin,
      stdout: out.stream,
      log,
      signal: stop.signal,
      port: http ? (port ?? 0) : undefined,
      token: process.env['KLAUS_MCP_TOKEN'],
      onListening: (listening) => out.json(listening),
    });
    return EXIT.done;
  },
};

interface InstallOptions {
  user?: true;
  project?: true;
  uninstall?: true;
  dryRun?: true;
}

const install: LeafCommand = {
  name: 'install',
  summary: 'register the server in Claude Code',
  examples: ['klaus mcp install'],
  description:
    'Adds the server `klaus` to the configuration of Claude Code: to ~/.claude.json for all your projects, or to .mcp.json of the project for all who work in it. Everything else in the file stays as it is, and no key is written.',
  server: 'none',
  declare: (declared) =>
    declared
      .option('--user', 'in ~/.claude.json (the default)')
      .option('--project', 'in .mcp.json of the current folder')
      .option('--uninstall', 'remove it')
      .option('--dry-run', 'only print what would change'),
  async run({ user, project, uninstall, dryRun }: InstallOptions) {
    if (user && project) throw new CliError('usage', '--user and --project exclude each other.');
    const { installMcp } = await import('@klaus/claude-code/verification');
    const place = project ? 'project' : 'user';
    const { file, changed } = installMcp({ place, env: process.env, project: process.cwd(), uninstall, dryRun });
    const verb = uninstall ? 'removed from' : 'registered in';
    const said = changed ? `${dryRun ? 'would be' : 'was'} ${verb}` : `is already ${verb}`;
    out.write(`The server klaus ${said} ${toPrintable(file)}.\n`);
    if (changed && !dryRun) out.write('Restart Claude Code, or run /mcp in it.\n');
    return EXIT.done;
  },
};

export const command: CommandGroup = {
  name: 'mcp',
  summary: 'serve checks, reviews and commits to other agents, and manage the MCP servers that sessions use',
  examples: ['klaus mcp install', 'klaus mcp add docs -- npx docs-server', 'klaus mcp list'],
  commands: [serve, install, ...serverCommands],
};

function toPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new InvalidArgumentError('Pass a number from 0 to 65535.');
}
