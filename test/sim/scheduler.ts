import { createHash } from 'node:crypto';
import type { Clock } from '@klaus/core/agent';
import type { Chance } from '../undo/chance.ts';

/** Start of every simulation in Unix milliseconds. */
export const BEGIN = 1_900_000_000_000;

/** A simulated operating-system process. Its waiting tasks are dropped when it dies. */
export interface Host {
  readonly name: string;
  /** False after it was killed or has ended. */
  isAlive: boolean;
  /** True while it is stopped: its tasks wait. */
  isStopped?: boolean;
}

/** A task that continues when the scheduler resumes it. */
interface Task {
  host: Host;
  label: string;
  order: number;
  run: () => void;
}

interface Timer extends Task {
  due: number;
}

interface Interval {
  host: Host;
  ms: number;
  due: number;
  tick: () => void;
  /** True if it polls other processes: it is no reason to advance the time. */
  isPoll: boolean;
}

/** Number of time jumps without a task after which the simulation ends. */
const MAX_EMPTY_HOPS = 200;
/** The same in real milliseconds. */
const MAX_WAIT_MS = 60_000;

/**
 * Decides which task continues. Every wait in the simulation is a task. Tasks continue one at a time in an order that
 * the seed determines; time advances only between them.
 */
export class Scheduler {
  now = BEGIN;
  steps = 0;
  readonly trace: string[] = [];
  readonly #chance: Chance;
  readonly #digest = createHash('sha256');
  #ready: Task[] = [];
  #timers: Timer[] = [];
  #intervals = new Set<Interval>();
  #order = 0;
  #busy = 0;
  readonly #isRemote: boolean;
  readonly #pace: number | undefined;
  #lastIo: Promise<void> = Promise.resolve();

  /**
   * @param options.isRemote True: real I/O takes time, so that it happens one after the other, in the same order in every
   *   run.
   * @param options.pace Simulated milliseconds in a real one, when something outside takes real time. Default: the time
   *   passes as soon as no task is ready.
   */
  constructor(chance: Chance, { isRemote = false, pace }: { isRemote?: boolean; pace?: number } = {}) {
    this.#chance = chance;
    this.#isRemote = isRemote;
    this.#pace = pace;
  }

  /** Waits for the scheduler. Never resolves in a process that dies. */
  pause(host: Host, label: string): Promise<void> {
    return new Promise((resolve) => this.#enqueue({ host, label, order: ++this.#order, run: resolve }));
  }

  /**
   * Real I/O, such as a transaction of the database: the next step waits for it, and the scheduler delivers its result.
   */
  async real<T>(host: Host, label: string, work: () => Promise<T>): Promise<T> {
    const order = ++this.#order;
    this.#busy++;
    const settled = await (this.#isRemote ? this.#inTurn(work) : work()).then(
      (value) => ({ ok: true as const, value }),
      (error: unknown) => ({ ok: false as const, error }),
    );
    this.#busy--;
    await new Promise<void>((resolve) => this.#enqueue({ host, label, order, run: resolve }));
    if (settled.ok) return settled.value;
    throw settled.error;
  }

  /** Real I/O that is no step, such as a read: the next step waits for it. Never resolves in a process that dies. */
  async io<T>(host: Host, work: () => Promise<T>): Promise<T> {
    if (!this.#isRemote) return work();
    try {
      return await this.#inTurn(work);
    } finally {
      if (!host.isAlive) await new Promise(() => {});
    }
  }

  /** I/O of no process, for which the next step waits. */
  background(work: () => Promise<void>): void {
    if (this.#isRemote) void this.#inTurn(work);
    else void work();
  }

  /** Everything that follows from one answer happens before the next question. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    const answer = this.#lastIo.then(work);
    const end = async (): Promise<void> => {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      this.#busy--;
    };
    this.#lastIo = answer.then(end, end);
    return answer;
  }

  /** Runs `run` after `ms` of simulated time; the returned function cancels it. */
  at(host: Host, ms: number, task: { label: string; run: () => void }): () => void {
    const timer: Timer = { host, ...task, order: ++this.#order, due: this.now + Math.max(0, ms) };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Resolves after `ms`, or when the signal aborts. */
  sleep(host: Host, ms: number, { label, signal }: { label: string; signal?: AbortSignal }): Promise<void> {
    if (signal?.aborted) return this.pause(host, `${label} aborted`);
    return new Promise((resolve) => {
      const done = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const cancel = this.at(host, ms, { label, run: done });
      const abort = (): void => {
        cancel();
        this.#enqueue({ host, label: `${label} aborted`, order: ++this.#order, run: resolve });
      };
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  every(host: Host, interval: { ms: number; tick: () => void; isPoll: boolean }): () => void {
    const entry: Interval = { host, ...interval, due: this.now + interval.ms };
    this.#intervals.add(entry);
    return () => void this.#intervals.delete(entry);
  }

  /** The clock of one process. */
  clockOf(host: Host, { isPoll = false }: { isPoll?: boolean } = {}): Clock {
    return {
      now: () => this.now,
      sleep: (ms, signal) => this.sleep(host, ms, { label: 'sleep', signal }),
      every: (ms, tick) => this.every(host, { ms, tick, isPoll }),
    };
  }

  /** Adds a line to the trace and to its hash. */
  note(line: string): void {
    const text = `${this.now - BEGIN} ${line}`;
    this.trace.push(text);
    this.#digest.update(`${text}\n`);
  }

  /** The hash of all steps so far. */
  hash(): string {
    return this.#digest.copy().digest('hex');
  }

  /** Kills a process: its waiting tasks never continue. */
  kill(host: Host): void {
    host.isAlive = false;
    this.#ready = this.#ready.filter((task) => task.host !== host);
    this.#timers = this.#timers.filter((task) => task.host !== host);
    for (const interval of this.#intervals) if (interval.host === host) this.#intervals.delete(interval);
  }

  /** Labels of the ready tasks, with their process. */
  waiting(): { host: Host; label: string }[] {
    return this.#ready;
  }

  /** Resumes one task, rarely two at once. False if no task is left. */
  async step(): Promise<boolean> {
    this.#pass(this.#chance.number(8));
    for (let hops = 0; this.#runnable.length === 0; hops++) {
      if (hops > MAX_EMPTY_HOPS || !(this.#pace ? await this.#wait(this.#pace) : this.#hop())) return false;
      await this.settle();
    }
    const together = this.#chance.percent(8) ? 2 : 1;
    for (let count = 0; count < together; count++) {
      const runnable = this.#runnable;
      if (runnable.length === 0) break;
      const task = runnable[this.#chance.number(runnable.length)]!;
      this.#ready.splice(this.#ready.indexOf(task), 1);
      this.steps++;
      this.note(`${task.host.name} ${task.label}`);
      task.run();
    }
    await this.settle();
    return true;
  }

  /** Resolves when no callback is pending outside the scheduler. */
  async settle(): Promise<void> {
    do {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      await this.#lastIo;
    } while (this.#busy > 0);
  }

  #enqueue(task: Task): void {
    if (!task.host.isAlive) return;
    const at = this.#ready.findLastIndex((other) => other.order < task.order) + 1;
    this.#ready.splice(at, 0, task);
  }

  get #runnable(): Task[] {
    return this.#ready.filter(({ host }) => !host.isStopped);
  }

  /** Lets real time pass, up to the next task. */
  async #wait(pace: number): Promise<boolean> {
    const end = performance.now() + MAX_WAIT_MS;
    while (this.#runnable.length === 0 && performance.now() < end) {
      const begun = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (this.#runnable.length > 0) break;
      const next = Math.min(...this.#timers.map(({ due }) => due), ...[...this.#intervals].map(({ due }) => due));
      this.#pass(Math.min(next - this.now, Math.round((performance.now() - begun) * pace)));
      await this.settle();
    }
    return this.#runnable.length > 0;
  }

  /** Advances the time to the next task; false if there is none. */
  #hop(): boolean {
    const next = Math.min(...this.#timers.map((timer) => timer.due));
    const watching = Math.max(0, ...[...this.#intervals].map(({ ms, isPoll }) => (isPoll ? 0 : ms)));
    if (next === Infinity && watching === 0) return false;
    const most = watching > 0 ? this.now + watching : Infinity;
    this.#pass(Math.min(next, most) - this.now);
    return true;
  }

  #pass(ms: number): void {
    this.now += Math.max(0, ms);
    const due = this.#timers.filter((timer) => timer.due <= this.now).toSorted((a, b) => a.due - b.due);
    if (due.length > 0) this.#timers = this.#timers.filter((timer) => timer.due > this.now);
    for (const timer of due) this.#enqueue({ ...timer, order: ++this.#order });
    for (const interval of this.#intervals) {
      if (interval.due > this.now) continue;
      interval.due = this.now + interval.ms;
      if (interval.host.isAlive && !interval.host.isStopped) interval.tick();
    }
  }
}
