import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Klaus } from '@klaus/sdk';
import { ownName } from '@klaus/sdk/wrap';
import type { Terminal } from '../wrap/terminal.ts';
import { findByAgentSession, isSandboxed, readLink } from './links.ts';
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

/** A program that has the terminal, or is about to have it. */
interface Shown {
  readonly id: string;
  readonly stop: AbortController;
  readonly kill: AbortController;
  /** Resolves when the program has reported itself. */
  readonly link: PromiseWithResolvers<void>;
  isLinked: boolean;
  /** Resolves with the exit code when the program has left the terminal. Rejects if it has not started. */
  readonly exit: PromiseWithResolvers<number | null>;
  isStarted: boolean;
}

/**
 * Runs Claude Code in the terminal, one session at a time. A switch is complete, or the session of before is continued:
 * the terminal never stays without one.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #shown: Shown | undefined;
  /** The next program, once it waits for the terminal. */
  #next: Shown | undefined;
  /** True from the beginning of a switch until its end. */
  #isSwitching = false;
  /** The session of a conversation that the user has chosen in the program. */
  #chosen: string | undefined;
  /** The work on sessions whose program has ended, by id. */
  readonly #settling = new Map<string, Promise<void>>();

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
    let shown = this.#start(first, { args });
    /** The session to which a switch that fails returns. */
    let former: string | undefined;
    try {
      for (;;) {
        this.#shown = shown;
        this.#options.onSession(shown.id);
        const ended = await toOutcome(shown.exit.promise);
        const [next, chosen] = [this.#next, this.#chosen];
        this.#next = this.#chosen = undefined;
        if (signal.aborted) return TERMINATED;
        if (next === undefined && chosen === undefined) {
          const isLost = former !== undefined && !shown.isLinked;
          if (!isLost) {
            if ('failure' in ended) throw ended.failure;
            return ended.exitCode ?? TERMINATED;
          }
          this.#options.note('failure' in ended ? ended.failure.message : toEarlyEnd(shown.id, ended).message);
          shown = this.#start(former!, { args: [] });
          former = undefined;
          continue;
        }
        if (shown.isLinked) former = shown.id;
        shown = next ?? this.#start(chosen!, { args: [] });
      }
    } finally {
      this.#shown = undefined;
      await Promise.all(this.#settling.values());
    }
  }

  /**
   * Shows another session. Resolves when its program has reported itself.
   *
   * @throws SupervisorError, KlausError as `Session.attend`. The program of before continues, or was started again.
   */
  async show(id: string): Promise<void> {
    const shown = this.#shown;
    if (shown === undefined || this.#isSwitching) throw toEnded();
    if (shown.id === id) return;
    this.#isSwitching = true;
    try {
      await this.#switch(shown, id);
    } finally {
      this.#isSwitching = false;
    }
  }

  async #switch(shown: Shown, id: string): Promise<void> {
    const { klaus, linkMs } = this.#options;
    const late = (of: string): SupervisorError =>
      new SupervisorError(
        'hook-timeout',
        `Session ${of} has not reported itself in ${linkMs / 1_000} s: the hook SessionStart of Claude Code does not run. Remove \`disableAllHooks\` from its settings, also from managed settings.`,
      );
    // Without a report, the session of Claude Code to which a later switch has to return is not known.
    await within(shown.link.promise, linkMs, () => late(shown.id));
    await within(readLink(klaus, id), linkMs, () => late(id));
    const next = this.#start(id, {
      args: [],
      before: async () => {
        if (this.#shown !== shown) throw toEnded();
        this.#next = next;
        this.#end(shown);
        await toOutcome(shown.exit.promise);
        // A program that does not report itself is ended, and that of before continues.
        const timer = setTimeout(() => this.#end(next), linkMs);
        next.link.promise.then(
          () => clearTimeout(timer),
          () => clearTimeout(timer),
        );
      },
    });
    const ended = toOutcome(next.exit.promise).then((outcome) => {
      throw 'failure' in outcome && !next.isStarted ? outcome.failure : toEarlyEnd(id, outcome);
    });
    await Promise.race([next.link.promise, ended]);
  }

  /** Starts the work on a session. @param given.before Resolves when the terminal is free. Default: it is. */
  #start(id: string, given: { args: readonly string[]; before?: () => Promise<void> }): Shown {
    const shown: Shown = {
      ...{ id, stop: new AbortController(), kill: new AbortController(), isLinked: false, isStarted: false },
      ...{ link: Promise.withResolvers<void>(), exit: Promise.withResolvers<number | null>() },
    };
    shown.link.promise.catch(() => {});
    shown.exit.promise.catch(() => {});
    const work = this.#attend(shown, given).finally(() => {
      if (this.#settling.get(id) === work) this.#settling.delete(id);
    });
    this.#settling.set(id, work);
    return shown;
  }

  /** Runs the program of a session to its end. Never rejects. */
  async #attend(
    shown: Shown,
    { args, before }: { args: readonly string[]; before?: () => Promise<void> },
  ): Promise<void> {
    const { klaus, terminal, env, signal } = this.#options;
    const { id, link, exit, stop, kill } = shown;
    // The record of an earlier program of the session holds it.
    await this.#settling.get(id);
    const folder = mkdtempSync(join(tmpdir(), `klaus-link-${ownName()}-`));
    const onEnd = (): void => this.#end(shown);
    signal.addEventListener('abort', onEnd, { once: true });
    const given = Object.entries(env).filter(([, value]) => value !== undefined);
    try {
      await klaus.handle(id).attend({
        ...{ args, folder, stop: stop.signal, signal: kill.signal, env: terminal.env },
        hostEnv: Object.fromEntries(given) as Record<string, string>,
        toCommand: (words) => terminal.toCommand(words),
        onReady: async () => {
          await before?.();
          if (stop.signal.aborted) throw toEnded();
          shown.isStarted = true;
        },
        onExit: (exitCode) => {
          terminal.restore(kill.signal.aborted);
          exit.resolve(exitCode);
        },
        onLink: async ({ id: agentSession }) => {
          const owner = await findByAgentSession(klaus, { agentSession, except: id });
          if (owner !== undefined) {
            // In a sandbox, conversations of other sessions do not exist, and the report can be forged.
            if (!(await isSandboxed(klaus, id))) this.#chosen ??= owner;
            this.#end(shown);
            return false;
          }
          shown.isLinked = true;
          link.resolve();
          return true;
        },
      });
      await this.#options.onLeft(id);
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      exit.reject(failure);
      // After the exit, only the record of what was said can fail.
      if (shown.isLinked) this.#options.note(failure.message);
    } finally {
      signal.removeEventListener('abort', onEnd);
      link.reject(toEnded());
      exit.resolve(null);
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #end({ stop, kill }: Shown): void {
    stop.abort();
    const timer = setTimeout(() => kill.abort(), this.#options.graceMs);
    timer.unref();
  }
}

type Outcome = { exitCode: number | null } | { failure: Error };

async function toOutcome(exit: Promise<number | null>): Promise<Outcome> {
  try {
    return { exitCode: await exit };
  } catch (error) {
    return { failure: error as Error };
  }
}

function toEnded(): SupervisorError {
  return new SupervisorError('ended', 'No program runs in the terminal.');
}

function toEarlyEnd(id: string, outcome: Outcome): SupervisorError {
  const how = 'failure' in outcome ? 'did not start' : `ended with exit code ${outcome.exitCode ?? TERMINATED}`;
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
