import { tailOf } from '@klaus/core/cut-text';
import type { AgentProcess, ExecResult, RunnerHost, RunnerRequest } from '@klaus/core/agent';
import { KlausError, messageOf } from '@klaus/core/protocol';
import { toProgramBinds } from '@klaus/adapters/system';

/** Maximum characters of the error output in a message. */
const MAX_STDERR = 600;

/**
 * Gives the agent a home folder of its own in the home folder of the session, which lasts as long as the session:
 * configuration in the latter is hidden from commands. `$1` is a folder that is copied into a new one, or nothing.
 */
const IN_OWN_HOME = [
  'HOME="$HOME/.agent"; export HOME',
  'if [ ! -d "$HOME" ]; then',
  'mkdir -p "$HOME.new"',
  'if [ -n "$1" ]; then cp -R "$1/." "$HOME.new/" || exit 1; fi',
  'mv "$HOME.new" "$HOME"',
  'fi',
  'shift; exec "$@"',
].join('\n');

/** The command with that home folder. */
export function inOwnHome(command: readonly string[], home: string | undefined): string[] {
  return ['/bin/sh', '-c', IN_OWN_HOME, 'klaus', home ?? '', ...command];
}

interface StartOptions extends Pick<RunnerRequest, 'command' | 'home' | 'isSandboxed' | 'workspace'> {
  env?: Readonly<Record<string, string>>;
}

/** The process of an agent, with its standard streams. */
export interface StartedProcess {
  input: WritableStream<Uint8Array>;
  output: ReadableStream<Uint8Array>;
  /** Resolves with the end of the process, and its last lines of error output; never rejects. */
  ended: Promise<KlausError>;
  kill(): void;
}

/** Starts the agent in the sandbox of the session. It ends with Klaus. */
export function startAgentProcess(
  host: Pick<RunnerHost, 'exec'>,
  { command, home, isSandboxed, workspace, env = {} }: StartOptions,
): StartedProcess {
  const stop = new AbortController();
  const pipe = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1_024 });
  let received: ReadableStreamDefaultController<Uint8Array>;
  const output = new ReadableStream<Uint8Array>({ start: (controller) => void (received = controller) });
  let errors = '';
  const request: AgentProcess = {
    command: isSandboxed ? inOwnHome(command, home) : command,
    // On the host, the program has the home folder of the user, or uses the folder itself.
    env: isSandboxed || home === undefined ? env : { ...env, HOME: home },
    binds: toProgramBinds(command, { workspace, folders: home === undefined ? [] : [home] }),
    stdin: pipe.readable,
    signal: stop.signal,
    onOutput(chunk, stream) {
      // The chunk is reused.
      if (stream === 'stdout') received.enqueue(Uint8Array.from(chunk));
      else errors = tailOf(errors + Buffer.from(chunk).toString('utf8'), MAX_STDERR);
    },
  };
  const [program] = command;
  const ended = host.exec(request).then(
    (result) => toEnd(program!, result, errors),
    (error: unknown) => toFailure(error),
  );
  void ended.then(() => {
    received.close();
  });
  return { input: pipe.writable, output, ended, kill: () => stop.abort() };
}

function toEnd(program: string, { exitCode, signal }: ExecResult, errors: string): KlausError {
  const how = signal === null ? `with code ${exitCode}` : `by ${signal}`;
  const text = errors.trim();
  return new KlausError('runner.failed', `The agent ${program} ended ${how}${text === '' ? '' : `: ${text}`}`, {
    hint: 'Check the command of its definition, and that the sandbox shows what it needs; `klaus resume` continues.',
  });
}

function toFailure(error: unknown): KlausError {
  if (error instanceof KlausError) return error;
  return new KlausError('runner.failed', messageOf(error), { cause: error });
}
