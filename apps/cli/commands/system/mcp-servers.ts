import { realpathSync } from 'node:fs';
import type { McpEntry } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { toFolder } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { UsageError } from '../../program/cli-error.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { createInterruptSignal } from '../../prompt/interrupt-signal.ts';
import { reviewTools } from './mcp-review.ts';

interface FolderOptions {
  cwd?: string;
  json?: true;
}

interface AddOptions extends FolderOptions {
  user?: true;
  url?: string;
  sse?: true;
  header?: readonly string[];
  env?: readonly string[];
}

const FOLDER = ['--cwd <folder>', 'the project (default: this folder)'] as const;

async function open({ cwd }: FolderOptions) {
  const { openMcpConfiguration } = await import('@klaus/sdk');
  return openMcpConfiguration({ cwd: toFolder(cwd ?? '.') });
}

const list: LeafCommand = {
  name: 'list',
  summary: 'list the MCP servers of the project and of the user',
  examples: ['klaus mcp list'],
  server: 'none',
  declare: (declared) => declared.option(...FOLDER).option('--json', 'one object per line'),
  async run(options: FolderOptions) {
    const entries = await (await open(options)).list();
    if (options.json) for (const entry of entries) out.json(entry);
    else out.write(toTable(entries.map(toRow)));
    return EXIT.done;
  },
};

/** Characters of a cell. */
const MAX_CELL = 200;

function cut(text: string): string {
  return toLine(text, MAX_CELL);
}

function toRow({ name, from, entry, isTrusted, variables }: McpEntry): string[] {
  const { command = '', args = [], url } = entry as { command?: string; args?: readonly string[]; url?: string };
  const place = url ?? [command, ...args].join(' ');
  const gets = variables.length > 0 ? ` (gets ${variables.join(', ')})` : '';
  return [cut(name), from, isTrusted ? 'trusted' : 'not trusted', cut(`${place}${gets}`)];
}

const add: LeafCommand = {
  name: 'add',
  summary: 'add an MCP server',
  examples: [
    'klaus mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
    "klaus mcp add --url https://example.com/mcp --header 'Authorization: Bearer ${TOKEN}' issues",
  ],
  description:
    'Writes the server to .mcp.json of the project, and trusts it, or with --user to mcp.json of the state folder, for all projects. ${VAR}, and ~ at the start of the command or an argument, are replaced when the server is started.',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('<name>', 'letters, digits, `-` and `_`')
      .argument('[command...]', 'the program with its arguments, after --')
      .option('--url <url>', 'the address of a server over HTTP, instead of a program')
      .option('--sse', 'with --url: the older transport with one stream of events')
      .option('--header <header...>', 'with --url: a header, `Name: value`')
      .option('--env <variable...>', 'a variable of the program, `NAME=value`')
      .option('--user', 'for all projects')
      .option(...FOLDER),
  async run(name: string, command: readonly string[], options: AddOptions) {
    if ((options.url === undefined) === (command.length === 0)) {
      throw new UsageError('A server is a program or an address.', 'Add `-- PROGRAM ARGUMENTS`, or `--url URL`.');
    }
    if (options.sse && options.url === undefined) throw new UsageError('--sse needs --url.', 'Add `--url URL`.');
    const [program, ...args] = command;
    const entry =
      options.url === undefined
        ? { command: program, args, ...toPairs('env', options.env, '=') }
        : { type: options.sse ? 'sse' : 'http', url: options.url, ...toPairs('headers', options.header, ':') };
    const file = await (await open(options)).add(name, entry, options.user ? 'user' : 'project');
    out.write(`The MCP server ${toPrintable(name)} is in ${toPrintable(file)}.\n`);
    err.write(
      `\`klaus mcp trust ${toPrintable(name)}\` shows the descriptions of its tools, which are untrusted before.\n`,
    );
    return EXIT.done;
  },
};

/** @throws UsageError for a text without the separator. */
function toPairs(field: string, texts: readonly string[] | undefined, separator: string): Record<string, object> {
  if (texts === undefined) return {};
  const pairs = texts.map((text) => {
    const at = text.indexOf(separator);
    if (at <= 0) throw new UsageError(`${text} has no ${separator}.`, `Write NAME${separator}VALUE.`);
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  });
  return { [field]: Object.fromEntries(pairs) as Record<string, string> };
}

const remove: LeafCommand = {
  name: 'remove',
  summary: 'remove an MCP server',
  examples: ['klaus mcp remove docs'],
  server: 'none',
  declare: (declared) => declared.argument('<name>', 'its name').option(...FOLDER),
  async run(name: string, options: FolderOptions) {
    const file = await (await open(options)).remove(name);
    out.write(`The MCP server ${toPrintable(name)} was removed from ${toPrintable(file)}.\n`);
    return EXIT.done;
  },
};

const trust: LeafCommand = {
  name: 'trust',
  summary: 'let sessions use an MCP server of the project',
  examples: ['klaus mcp trust docs'],
  description:
    'A server of .mcp.json is a program or an address of the project. Sessions use it after you have trusted it, and as long as its entry stays the same. Starts it, and shows the descriptions of its tools, or how they have changed: once you have accepted them, they are not untrusted, and a session leaves out a tool that changes.',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('<name>', 'its name')
      .option('--yes', 'accept the descriptions without a question')
      .option('--read-only <tool...>', 'tools that only read, as you know: other marks are removed')
      .option('--no-read-only', 'remove all marks')
      .option(...FOLDER),
  async run(name: string, options: FolderOptions & { yes?: true; readOnly?: readonly string[] | boolean }) {
    using stop = createInterruptSignal(['SIGINT', 'SIGTERM', 'SIGHUP']);
    const mcp = await open(options);
    const entry = await mcp.trust(name);
    out.write(`Trusted:\n${toTable([toRow(entry)])}`);
    const { yes, readOnly } = options;
    const reading = readOnly === false ? [] : Array.isArray(readOnly) ? (readOnly as readonly string[]) : undefined;
    await reviewTools(mcp, name, { yes, reading, signal: stop.signal });
    return EXIT.done;
  },
};

const accept: LeafCommand = {
  name: 'accept',
  summary: 'accept installed programs and ignored settings on which the checks of this project depend',
  examples: ['klaus mcp accept'],
  description:
    'The tool commit of klaus mcp refuses a change if programs that checks run, or ignored settings of theirs, are other ones than at the last accepted check. This accepts them as they are now.',
  server: 'none',
  declare: (declared) => declared.option(...FOLDER),
  async run({ cwd }: FolderOptions) {
    const [{ openCheckEnvironment }, { openKlaus }] = await Promise.all([
      import('@klaus/sdk/verification'),
      import('../../client/open-klaus.ts'),
    ]);
    const folder = realpathSync.native(toFolder(cwd ?? '.'));
    await using klaus = await openKlaus({ cwd: folder });
    await openCheckEnvironment(klaus, folder).accept();
    out.write(`Accepted for the checks of ${toPrintable(folder)}.\n`);
    return EXIT.done;
  },
};

const test: LeafCommand = {
  name: 'test',
  summary: 'start an MCP server and list what it has; calls nothing',
  examples: ['klaus mcp test docs'],
  server: 'none',
  declare: (declared) =>
    declared
      .argument('<name>', 'its name')
      .option(...FOLDER)
      .option('--json', 'one JSON document'),
  async run(name: string, options: FolderOptions) {
    using stop = createInterruptSignal(['SIGINT', 'SIGTERM', 'SIGHUP']);
    const found = await (await open(options)).test(name, { signal: stop.signal });
    if (options.json) {
      const { pinned: _, ...shown } = found;
      out.json(shown);
      return EXIT.done;
    }
    const { server, protocol, tools, prompts, resources, warning, problems } = found;
    out.write(`${cut(server)}, protocol ${cut(protocol)}\n`);
    out.write(toTable(tools.map((tool) => [cut(tool.name), tool.reads ? 'says it reads' : '', cut(tool.description)])));
    for (const { tool, problem, isLost } of problems)
      err.write(`${isLost ? 'Left out' : 'Used'}: ${cut(tool)} ${toPrintable(problem)}.\n`);
    if (warning !== '') err.write(`${toPrintable(warning)}\n`);
    out.write(`${prompts.length} prompts, ${resources} resources\n`);
    return EXIT.done;
  },
};

const login: LeafCommand = {
  name: 'login',
  summary: 'log in to an MCP server over HTTP',
  examples: ['klaus mcp login tracker'],
  description:
    'Prints an address to open in a browser on this machine, and stores the tokens where `klaus login` stores keys.',
  server: 'none',
  declare: (declared) => declared.argument('<name>', 'its name').option(...FOLDER),
  async run(name: string, options: FolderOptions) {
    using stop = createInterruptSignal(['SIGINT', 'SIGTERM', 'SIGHUP']);
    const onUrl = (url: string): void => err.write(`Open this address in a browser:\n${toPrintable(url)}\n`);
    await (await open(options)).logIn(name, { signal: stop.signal, onUrl });
    out.write(`Logged in to ${toPrintable(name)}.\n`);
    return EXIT.done;
  },
};

/** The commands about the MCP servers that sessions use. */
export const serverCommands: readonly LeafCommand[] = [list, add, remove, trust, test, login, accept];
