import { readdirSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { RunnerAttended, RunnerRequest, RunnerTerminal } from '@klaus/core/agent';
import { inOwnHome } from '../process/agent-process.ts';
import { toProgramBinds } from '@klaus/adapters/system';
import { askToEnd, FOLDER, PIPE, readReport } from './link-folder.ts';
import { toSessionUuid } from './preset-ids.ts';
import { prepareTerminalHome } from './terminal-home.ts';
import { toTerminalWords } from './to-words.ts';
import { readTranscript } from './transcript.ts';

/** The hook. It writes its input under a new name, which only a complete file has. */
const LINK = `cat > "$${FOLDER}/$$" && mv "$${FOLDER}/$$" "$${FOLDER}/$$.json"`;

/**
 * Becomes the program, and ends it when a line arrives in the pipe: a signal from outside of the sandbox would not reach
 * it, and `script` passes none on.
 */
const START = [
  `rm -f "$${FOLDER}/${PIPE}"; mkfifo "$${FOLDER}/${PIPE}"`,
  `(read -r _ < "$${FOLDER}/${PIPE}" && kill -TERM $$) </dev/null >/dev/null 2>&1 &`,
  'exec "$@"',
].join('\n');

/** Runs Claude Code itself in the terminal. */
export async function attendClaudeCode(request: RunnerRequest, terminal: RunnerTerminal): Promise<RunnerAttended> {
  const id = request.resume?.id ?? toSessionUuid(request.session);
  const isKnown = (await readTranscript(terminal, request, id)) !== undefined;
  if (request.isSandboxed) await prepareTerminalHome(terminal, request);
  const { folder } = terminal;
  const links = new Links(folder, terminal);
  const kill = new AbortController();
  let isAsked = false;
  const onStop = (): void => {
    // The pipe has no reader after the first request.
    if (isAsked) return;
    isAsked = true;
    if (!askToEnd(folder)) kill.abort();
  };
  terminal.stop.addEventListener('abort', onStop, { once: true });
  links.onForeign = onStop;
  try {
    const words = toTerminalWords(request, { id, resume: isKnown, link: LINK, args: terminal.args });
    const command = terminal.toCommand(['/bin/sh', '-c', START, 'klaus', ...words]);
    const { isSandboxed, home, workspace } = request;
    const folders = home === undefined ? [] : [home];
    await terminal.onReady();
    const { exitCode, signal } = await terminal.exec({
      command: isSandboxed ? inOwnHome(command, home) : command,
      env: { ...terminal.env, ...(isSandboxed || home === undefined ? {} : { HOME: home }), [FOLDER]: folder },
      binds: [...toProgramBinds(request.command, { workspace, folders }), { path: folder, writable: true }],
      signal: AbortSignal.any([request.signal, kill.signal]),
    });
    terminal.onExit(exitCode);
    await links.settled();
    const sessions: { id: string; history: NonNullable<Awaited<ReturnType<typeof readTranscript>>>['entries'] }[] = [];
    for (const each of links.ids) {
      const transcript = await readTranscript(terminal, request, each);
      if (transcript) sessions.push({ id: each, history: transcript.entries });
    }
    return { exitCode, signal, sessions };
  } finally {
    terminal.stop.removeEventListener('abort', onStop);
    links.close();
  }
}

/** The reports of the hook, in order. */
class Links {
  /** Ids of the sessions in which the program was. */
  readonly ids: string[] = [];
  /** Called when the program is in a session in which it must not be. */
  onForeign: () => void = () => {};
  readonly #folder: string;
  readonly #terminal: RunnerTerminal;
  readonly #watcher: ReturnType<typeof watch>;
  #reading: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;

  constructor(folder: string, terminal: RunnerTerminal) {
    this.#folder = folder;
    this.#terminal = terminal;
    this.#watcher = watch(folder, () => this.#read());
  }

  /** Resolves when all reports are processed. @throws What the record of one threw. */
  async settled(): Promise<void> {
    this.#read();
    await this.#reading;
    if (this.#failure) throw this.#failure.error;
  }

  close(): void {
    this.#watcher.close();
  }

  #read(): void {
    this.#reading = this.#reading.then(async () => {
      for (const name of readdirSync(this.#folder).filter((each) => each.endsWith('.json')))
        await this.#take(join(this.#folder, name));
    });
    this.#reading = this.#reading.catch((error: unknown) => {
      this.#failure ??= { error };
      this.onForeign();
    });
  }

  async #take(file: string): Promise<void> {
    const id = readReport(file);
    rmSync(file, { recursive: true, force: true });
    if (id === undefined) return;
    if (!(await this.#terminal.onLink({ id, agent: 'Claude Code' }))) return this.onForeign();
    if (this.ids.at(-1) !== id) this.ids.push(id);
  }
}
