import { createHash } from 'node:crypto';
import type { Clock } from '@klaus/core/agent';
import type { Chance } from '../undo/chance.ts';

/** Unix milliseconds at which every simulated world begins. */
export const BEGIN = 1_900_000_000_000;

/** An operating-system process of the simulated world. What is waiting in it is gone when it dies. */
export interface Host {
  readonly name: string;
  /** False once it was killed or has ended. */
  isAlive: boolean;
}

/** Something that goes on as soon as the scheduler says so. */
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
  /** Looks for news of other processes: by itself it is no reason to let time pass. */
  isPoll: boolean;
}

/** Jumps over empty time without anything to do, after which nothing is going to happen any more. */
const MAX_EMPTY_HOPS = 200;

/**
 * Decides who goes on. Every wait of the simulated world ends in one of its tasks, one at a time, in an order
 * that the seed gives; time passes only between them. The same seed gives the same order.
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

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Waits for the scheduler. Never resolves in a process that dies meanwhile. */
  pause(host: Host, label: string): Promise<void> {
    return new Promise((resolve) => this.#enqueue({ host, label, order: ++this.#order, run: resolve }));
  }

  /**
   * Real work, such as a transaction of the database: the next step waits for it, and what it gives arrives when the
   * scheduler says so.
   */
  async real<T>(host: Host, label: string, work: () => Promise<T>): Promise<T> {
    const order = ++this.#order;
    this.#busy++;
    const settled = await work().then(
      (value) => ({ ok: true as const, value }),
      (error: unknown) => ({ ok: false as const, error }),
    );
    this.#busy--;
    await new Promise<void>((resolve) => this.#enqueue({ host, label, order, run: resolve }));
    if (settled.ok) return settled.value;
    throw settled.error;
  }

  /** Runs `run` after `ms` of simulated time; the returned function takes it back. */
  at(host: Host, ms: number, task: { label: string; run: () => void }): () => void {
    const timer: Timer = { host, ...task, order: ++this.#order, due: this.now + Math.max(0, ms) };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Resolves after `ms`, or when the signal aborts. */
  sleep(host: Host, ms: number, { label, signal }: { label: string; signal?: AbortSignal | undefined }): Promise<void> {
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

  /** A line for whoever looks at a failure; part of the hash that a replay must give again. */
  note(line: string): void {
    const text = `${this.now - BEGIN} ${line}`;
    this.trace.push(text);
    this.#digest.update(`${text}\n`);
  }

  /** What happened so far, as one hash. */
  hash(): string {
    return this.#digest.copy().digest('hex');
  }

  /** Ends a process as a kill does: nothing that waits in it goes on. */
  kill(host: Host): void {
    host.isAlive = false;
    this.#ready = this.#ready.filter((task) => task.host !== host);
    this.#timers = this.#timers.filter((task) => task.host !== host);
    for (const interval of this.#intervals) if (interval.host === host) this.#intervals.delete(interval);
  }

  /** Labels of what could go on now, with their process. */
  waiting(): { host: Host; label: string }[] {
    return this.#ready;
  }

  /** Lets one task go on, seldom two at once. False when nothing is left that ever could. */
  async step(): Promise<boolean> {
    this.#pass(this.#chance.number(8));
    for (let hops = 0; this.#ready.length === 0; hops++) {
      if (hops > MAX_EMPTY_HOPS || !this.#hop()) return false;
      await this.settle();
    }
    const together = this.#chance.percent(8) ? 2 : 1;
    for (let count = 0; count < together && this.#ready.length > 0; count++) {
      const [task] = this.#ready.splice(this.#chance.number(this.#ready.length), 1);
      this.steps++;
      this.note(`${task!.host.name} ${task!.label}`);
      task!.run();
    }
    await this.settle();
    return true;
  }

  /** Everything that can go on without the scheduler has. */
  async settle(): Promise<void> {
    do await new Promise<void>((resolve) => void setImmediate(resolve));
    while (this.#busy > 0);
  }

  #enqueue(task: Task): void {
    if (!task.host.isAlive) return;
    const at = this.#ready.findLastIndex((other) => other.order < task.order) + 1;
    this.#ready.splice(at, 0, task);
  }

  /** To the next thing that happens by itself; false when there is none. */
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
      if (interval.host.isAlive) interval.tick();
    }
  }
}
