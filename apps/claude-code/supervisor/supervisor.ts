import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Klaus, RunnerAttended } from '@klaus/sdk';
import { ownName } from '@klaus/sdk/wrap';
import type { Terminal } from '../wrap/terminal.ts';
import { findByAgentSession, readLink } from './links.ts';
import { SupervisorError } from './supervisor-error.ts';

export interface SupervisorOptions {
  klaus: Klaus;
  terminal: Terminal;
  /** The variables of the program, read at each start. */
  env: NodeJS.ProcessEnv;
  /** Arguments of the first start. */
  args: readonly string[];
  /** Milliseconds between the request to end and the kill. */
  graceMs: number;
  /** Milliseconds that a program has to report its session. */
  linkMs: number;
  /** Aborted: the program is ended. */
  signal: AbortSignal;
  /** The terminal shows another session. */
  onSession(id: string): void;
  /** The program of a session has ended. */
  onLeft(id: string): Promise<void>;
  /** A line for the user, while no program has the terminal. */
  note(text: string): void;
}

/** The exit code of a program that ended by SIGTERM. */
const TERMINATED = 143;

/** A program in the terminal. */
interface Shown {
  readonly id: string;
  readonly stop: AbortController;
  readonly kill: AbortController;
  readonly link: PromiseWithResolvers<void>;
  isLinked: boolean;
}

/** A switch that has begun. */
interface Switch {
  readonly id: string;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Runs Claude Code in the terminal, one session at a time. A switch is complete, or the session of before is continued:
 * the terminal never stays without one.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #shown: Shown | undefined;
  #switch: Switch | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /**
   * Shows sessions until the user ends the program.
   *
   * @returns Its exit code.
   * @throws KlausError as `Session.attend`, for the first session.
   */
  async run(first: string): Promise<number> {
    const { signal, args } = this.#options;
    let start = { id: first, args };
    let former: string | undefined;
    for (;;) {
      const wanted = this.#switch;
      this.#options.onSession(start.id);
      const { ended, failure, isLinked } = await this.#show(start, wanted);
      if (this.#switch === wanted) this.#switch = undefined;
      if (failure && isLinked) throw failure;
      const problem = failure ?? (wanted && !isLinked ? toEarlyEnd(start.id, ended) : undefined);
      if (problem) wanted?.done.reject(problem);
      if (signal.aborted) return TERMINATED;
      const next = this.#switch as Switch | undefined;
      if (problem && former === undefined) throw problem;
      if (!problem && next === undefined) return ended?.exitCode ?? TERMINATED;
      if (problem) this.#options.note(problem.message);
      const id = next?.id ?? former!;
      former = problem ? (next ? former : undefined) : start.id;
      start = { id, args: [] };
    }
  }

  /**
   * Shows another session. Resolves when its program has reported itself.
   *
   * @throws SupervisorError The program of before continues, or was started again.
   */
  async show(id: string): Promise<void> {
    const shown = this.#shown;
    if (shown === undefined || this.#switch) throw new SupervisorError('ended', 'No program runs in the terminal.');
    if (shown.id === id) return;
    const { klaus, linkMs } = this.#options;
    const late = (of: string): SupervisorError =>
      new SupervisorError(
        'hook-timeout',
        `Session ${of} has not reported itself in ${linkMs / 1_000} s: the hook SessionStart of Claude Code does not run. Remove \`disableAllHooks\` from its settings, also from managed settings.`,
      );
    // Without a report, the session of Claude Code to which a later switch has to return is not known.
    await within(shown.link.promise, linkMs, () => late(shown.id));
    await within(readLink(klaus, id), linkMs, () => late(id));
    if (await klaus.store.isClaimed(id)) {
      throw new SupervisorError(
        'busy',
        `Another process works on session ${id}. Wait for its end with \`klaus checkout ${id} --wait SECONDS\`, or stop it with \`klaus interrupt ${id}\`.`,
      );
    }
    if (this.#shown !== shown) throw new SupervisorError('ended', 'The program in the terminal has ended.');
    const done = Promise.withResolvers<void>();
    this.#switch = { id, done };
    this.#end(shown);
    await done.promise;
  }

  /** Runs the program of one session to its end. */
  async #show(
    { id, args }: { id: string; args: readonly string[] },
    wanted: Switch | undefined,
  ): Promise<{ ended?: RunnerAttended; failure?: Error; isLinked: boolean }> {
    const { klaus, terminal, env, signal, linkMs } = this.#options;
    const link = Promise.withResolvers<void>();
    link.promise.catch(() => {});
    const folder = mkdtempSync(join(tmpdir(), `klaus-link-${ownName()}-`));
    const shown: Shown = { id, stop: new AbortController(), kill: new AbortController(), link, isLinked: false };
    this.#shown = shown;
    const onEnd = (): void => this.#end(shown);
    signal.addEventListener('abort', onEnd, { once: true });
    // The program of a switch that does not report itself is ended, and that of before continues.
    const timer = wanted && setTimeout(onEnd, linkMs);
    let ended: RunnerAttended | undefined;
    let failure: Error | undefined;
    try {
      const given = Object.entries(env).filter(([, value]) => value !== undefined);
      ended = await klaus.handle(id).attend({
        ...{ args, folder },
        env: terminal.env,
        hostEnv: Object.fromEntries(given) as Record<string, string>,
        stop: shown.stop.signal,
        signal: shown.kill.signal,
        toCommand: (words) => terminal.toCommand(words),
        onLink: async ({ id: agentSession }) => {
          const owner = await findByAgentSession(klaus, { agentSession, except: id });
          if (owner !== undefined) {
            this.#switch ??= toOwnSwitch(owner);
            return false;
          }
          clearTimeout(timer);
          if (this.#switch === wanted) this.#switch = undefined;
          shown.isLinked = true;
          link.resolve();
          wanted?.done.resolve();
          return true;
        },
      });
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onEnd);
      this.#shown = undefined;
      link.reject(new SupervisorError('ended', 'The program in the terminal has ended.'));
      rmSync(folder, { recursive: true, force: true });
      terminal.restore(shown.kill.signal.aborted);
    }
    await this.#options.onLeft(id);
    return { ...(ended ? { ended } : {}), ...(failure ? { failure } : {}), isLinked: shown.isLinked };
  }

  #end({ stop, kill }: Shown): void {
    stop.abort();
    const timer = setTimeout(() => kill.abort(), this.#options.graceMs);
    timer.unref();
  }
}

/** The user has chosen the conversation of another session in the program. No caller waits for it. */
function toOwnSwitch(id: string): Switch {
  const done = Promise.withResolvers<void>();
  done.promise.catch(() => {});
  return { id, done };
}

function toEarlyEnd(id: string, ended: RunnerAttended | undefined): SupervisorError {
  const how = ended?.exitCode == null ? 'was ended' : `ended with exit code ${ended.exitCode}`;
  return new SupervisorError(
    'hook-timeout',
    `Claude Code ${how} before session ${id} was ready: the hook SessionStart did not run. Check \`disableAllHooks\` in its settings, and that \`claude --resume\` works.`,
  );
}

async function within<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
