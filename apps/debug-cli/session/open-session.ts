import { headOf } from '@klaus/sdk/cut-text';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { createKlaus, startModelServer, type Grant, type Klaus, type Session } from '@klaus/sdk';
import { DEBUG_TOOLS, type CliInput } from 'klendathu/contract';
import type { HostConnection } from '../host/host-connection.ts';
import { createReportTool, toTools } from '../host/to-tools.ts';
import { CliFailure } from '../program/cli-failure.ts';
import type { Status } from '../program/status.ts';
import type { Control } from './control.ts';

/** Tools that only read the files of the workspace. */
const REPOSITORY_TOOLS = ['read_file', 'list_files', 'search_files'] as const;
/** Providers accept no other names. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_TITLE = 80;
/** Characters. The prompt has a schema, and instructions of the developer. */
const MAX_PROMPT = 400_000;

export interface OpenSessionOptions {
  input: CliInput;
  projectRoot: string;
  connection: HostConnection;
  control: Control;
  status: Status;
  requestTimeoutMs: number;
}

export interface OpenedSession extends AsyncDisposable {
  readonly klaus: Klaus;
  readonly session: Session;
}

/** @throws CliFailure `input` if the folder does not exist. */
export function toProjectRoot({ projectRoot }: CliInput): string {
  const folder = resolve(projectRoot ?? '.');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(folder);
  const what = existsSync(folder) ? 'is no folder' : 'does not exist';
  throw new CliFailure('input', `projectRoot ${what}: ${folder}`);
}

/**
 * Opens the engine and a session that can call the tools of the program and read the files of the project, and nothing
 * else: it has no authority to write, to run commands or to use another address. Its calls need no sandbox.
 *
 * @throws KlausError `auth`, `model.unknown`, `config`, `workspace.refused` and others of `createKlaus` and `open`.
 */
export async function openSession(options: OpenSessionOptions): Promise<OpenedSession> {
  const { input, projectRoot, status } = options;
  const klaus = await createKlaus({
    cwd: projectRoot,
    endProcesses: 'run',
    // Nothing is changed, so there is nothing to undo.
    settings: { 'undo.enabled': false, maxPromptChars: MAX_PROMPT, 'reviewers.use': [] },
    onNotice: (text) => status.log(text),
    // `scripted/NAME`: a path from the folder of the project. It ends with this process.
    scripted: (name) => startModelServer({ script: resolve(projectRoot, name) }),
  });
  try {
    const names = attachTools(klaus, options);
    const { budget } = input;
    const session = await klaus.open({
      workspace: projectRoot,
      root: projectRoot,
      sandbox: 'host',
      mode: 'auto',
      isolate: false,
      checkpoint: 'manual',
      grant: toGrant(options, names),
      limits: { usd: budget?.usd, tokens: budget?.tokens, turns: budget?.turns },
      model: input.model,
    });
    await session.send({ type: 'change', title: toTitle(input) });
    return { klaus, session, [Symbol.asyncDispose]: () => klaus.close() };
  } catch (error) {
    await klaus.close();
    throw error;
  }
}

/** @returns The names of the added tools. */
function attachTools(klaus: Klaus, options: OpenSessionOptions): string[] {
  const { connection, control, input, requestTimeoutMs, status } = options;
  const tools = toTools({
    connection,
    control,
    access: input.access ?? 'read',
    maxEvals: input.budget?.evals,
    requestTimeoutMs,
  });
  if (!connection.tools.some(({ name }) => name === 'eval')) {
    throw new CliFailure('server', 'The MCP server of the program has no tool `eval`.');
  }
  const hasReport = connection.tools.some(({ name }) => name === 'report');
  if (!hasReport && input.mode === 'investigate') {
    tools.push(createReportTool(control, DEBUG_TOOLS.report.description) as (typeof tools)[number]);
  }
  return tools.flatMap((tool) => {
    try {
      if (!TOOL_NAME.test(tool.name)) throw new Error('its name is invalid');
      klaus.attach([tool]);
      return [tool.name];
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const name = JSON.stringify(headOf(tool.name, MAX_TITLE));
      status.log(`The tool ${name} of the program is not offered: ${error.message}`, 'warning');
      return [];
    }
  });
}

function toGrant({ projectRoot, connection }: OpenSessionOptions, names: readonly string[]): Grant {
  return {
    authorities: [
      { kind: 'fs', path: projectRoot, rights: 'r' },
      { kind: 'net', host: connection.host, port: connection.port },
      ...[...REPOSITORY_TOOLS, ...names].map((name) => ({ kind: 'tool' as const, name })),
    ],
  };
}

function toTitle(input: CliInput): string {
  const frame = input.callStack.find(({ isUser }) => isUser !== false) ?? input.callStack[0];
  const place = frame ? ` at ${basename(frame.filePath)}${frame.line === undefined ? '' : `:${frame.line}`}` : '';
  const what =
    input.mode === 'implement'
      ? `Implement: ${input.prompt}`
      : input.error
        ? `${input.error.name}: ${input.error.message}`
        : 'Investigation';
  const line = what.replaceAll(/\s+/g, ' ').trim();
  const room = Math.max(20, MAX_TITLE - place.length);
  return (line.length > room ? `${headOf(line, room - 1)}…` : line) + place;
}
