import { headOf } from '@klaus/sdk/cut-text';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { NO_USAGE, defineTool, type Configuration, type Tool, type ToolContext } from '@klaus/sdk';
import { quoteShellWord } from '@klaus/sdk/quote-shell-word';
import {
  createModelProxy,
  openRelay,
  RELAY_FOLDER,
  toProgramBinds,
  WRAP_LIMITS,
  type PrestartRequest,
  type Runner,
  type RunnerHost,
  type RunnerRequest,
  type RunnerSession,
} from '@klaus/sdk/wrap';
import { z } from 'zod';
import { ProviderNetwork } from './provider-network.ts';
import { RecordedCalls } from './recorded-calls.ts';
import type { Terminal } from './terminal.ts';

/** The tool that starts the program. The gate judges it like a command. */
const TOOL = 'run_program';
/** Limits of the program, where the settings have lower ones. It has a runtime of its own. */
const LEAST = { memoryMb: 4_096, processes: 1_024 };
/** Longer than any session; the driver reduces it to what it can measure. */
const NO_TIMEOUT_MS = Number.MAX_SAFE_INTEGER;
/** Refused requests after which a program without a user is ended: it may repeat them forever. */
const MAX_REFUSED = 4;
const HOME = 'home';

/**
 * Gives the program a home folder of its own with its configuration, in that of the session. The shell remains its
 * parent: the relay is a child of the shell, and `script` waits for all of its own children.
 */
const toHomeScript = (hasFiles: boolean): string =>
  `HOME="$HOME/.program"; export HOME; mkdir -p "$HOME" ${hasFiles ? `&& cp -R ${RELAY_FOLDER}/${HOME}/. "$HOME/" ` : ''}&& "$@"; exit $?`;

export interface WrapRunnerOptions {
  /** Called when the program starts. */
  open: () => { configuration: Configuration; program: WrappedProgram };
  /** A folder whose files are copied there before. */
  home?: string;
  terminal: Terminal;
}

export interface WrappedProgram {
  /** With the absolute path of the program. */
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Content by path in the home folder of the program. */
  files: Readonly<Record<string, string>>;
}

/** How the program ended. */
export interface ProgramEnd {
  /** Undefined if it did not run. */
  exitCode?: number;
  /** Why it did not run or was ended, as a sentence. */
  problem?: string;
  /** Why requests of it were refused, as a sentence. */
  refused?: string;
  cancelled: boolean;
}

export interface WrapRunner {
  runner: Runner;
  tool: Tool;
  readonly end: ProgramEnd;
  /** Ends the proxy. */
  close: () => void;
}

/** Runs one program, whose requests to models go through the proxy of this process. */
export function createWrapRunner(options: WrapRunnerOptions): WrapRunner {
  const end: ProgramEnd = { cancelled: false };
  const stop = new AbortController();
  let opened: { host: RunnerHost; calls: RecordedCalls; network: ProviderNetwork } | undefined;
  let refused = 0;
  // The program, and so its requests, start after the session was opened.
  const openProxy = () =>
    createModelProxy(options.open().configuration, {
      async reserve(asked, shown) {
        const { host, calls } = opened!;
        const reserved = await host.reserve({ ...asked, prompts: calls.findPrompts(shown) });
        if ('refused' in reserved) return reserved;
        return { ...reserved, settle: (end, seen) => reserved.settle(end, seen && calls.toExchange(seen)) };
      },
      openRedactor: () => opened!.host.openRedactor(),
      admit: (uses) => opened!.network.admit(uses),
      onRefused(reason) {
        if (end.refused === undefined) opened!.host.notice(reason);
        end.refused = reason;
        refused += 1;
        if (refused >= MAX_REFUSED && !options.terminal.isInteractive) stop.abort();
      },
    });
  let relay: ReturnType<typeof openRelay> | undefined;
  const takeRelay = () => (relay ??= openRelay(openProxy));
  const open = async (request: RunnerRequest, host: RunnerHost): Promise<RunnerSession> => {
    opened = { host, calls: new RecordedCalls(request.workspace), network: new ProviderNetwork(host) };
    writeHome(join(takeRelay().folder, HOME), options.open().program.files, options.home);
    return {
      agent: request.command[0] ?? '',
      id: '',
      isResumed: false,
      async prompt(_, { signal }) {
        const [program, ...words] = request.command;
        const used = await host.useTool(TOOL, { program, arguments: words }, { signal });
        end.cancelled = used.outcome === 'cancelled' || stop.signal.aborted;
        if (used.outcome !== 'ok' && end.exitCode === undefined) end.problem = used.output;
        return { stopReason: 'end_turn', usage: NO_USAGE, usd: 0 };
      },
      close: async () => {},
    };
  };
  /** The request for the sandbox of the program. */
  const toRequest = ({ workspace, execLimits }: Pick<ToolContext, 'workspace' | 'execLimits'>): PrestartRequest => {
    const { command, env } = options.open().program;
    const { memoryMb, processes, cpus } = execLimits;
    return {
      env: { ...options.terminal.env, ...env },
      binds: toProgramBinds(command, { workspace: workspace.root }),
      relay: takeRelay(),
      inherits: true,
      limits: {
        timeoutMs: NO_TIMEOUT_MS,
        memoryMb: Math.max(memoryMb, LEAST.memoryMb),
        processes: Math.max(processes, LEAST.processes),
        cpus: Math.max(cpus, availableParallelism()),
      },
    };
  };
  const tool = defineTool({
    name: TOOL,
    description: 'Run the program that klaus wrap was given.',
    input: z.object({ program: z.string(), arguments: z.array(z.string()) }),
    effects: ['execute'],
    resume: 'tell',
    like: 'run_command',
    deferred: true,
    // What the user passes to the program is data, which only the program understands.
    prepare: async ({ program, arguments: words }) => ({
      title: headOf(['run', program, ...words.map(quoteShellWord)].join(' '), 200),
      access: [{ kind: 'exec', command: quoteShellWord(program) }],
      command: quoteShellWord(program),
    }),
    prestart: toRequest,
    async run(_, context) {
      const { program } = options.open();
      const words = options.terminal.toCommand(program.command);
      const hasFiles = options.home !== undefined || Object.keys(program.files).length > 0;
      const result = await context.sandbox.exec({
        ...toRequest(context),
        command: ['/bin/sh', '-c', toHomeScript(hasFiles), 'klaus', ...words],
        signal: AbortSignal.any([context.signal, stop.signal]),
      });
      const { exitCode, signal: killed, unenforced, exceeded = [], warnings = [] } = result;
      if (exitCode !== null) end.exitCode = exitCode;
      const how = exitCode === null ? `ended by ${killed}` : `exit code ${exitCode}`;
      return {
        text: [`[${how}]`, ...exceeded, ...warnings].join('\n'),
        isError: exitCode !== 0,
        detail: { exitCode, signal: killed, unenforced },
      };
    },
  });
  const runner: Runner = { name: 'wrap', limits: WRAP_LIMITS, startsWith: TOOL, open };
  return { runner, tool, end, close: () => relay?.close() };
}

function writeHome(folder: string, files: WrappedProgram['files'], home: string | undefined): void {
  mkdirSync(folder, { recursive: true });
  if (home !== undefined) cpSync(home, folder, { recursive: true, verbatimSymlinks: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
