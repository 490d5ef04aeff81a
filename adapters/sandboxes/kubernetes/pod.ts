import type { V1Pod } from '@kubernetes/client-node';
import { setTimeout as sleep } from 'node:timers/promises';
import { KlausError } from '@klaus/core/protocol';
import { COMMAND_SCRIPT } from '../container/scripts.ts';
import type { SlotContainer } from '../container/warm-slot.ts';
import type { ClusterClient } from './cluster-client.ts';
import { PodCommand } from './pod-command.ts';
import { CONTAINER, LIFETIME_S, toPod, type PodNames, type PodPlan } from './pod-plan.ts';
import { UNSET_LINE } from './scripts.ts';
import type { PodStream } from './pod-stream.ts';
import { findProblem, hasEnded, isRunning, toEndReason } from './pod-state.ts';

const ANSWER_MS = 5_000;
const POLL_MS = 150;
const CHECKS = 20;
const PAUSE_MS = 25;

/** What the main process of a pod reports. */
interface Report {
  processes: number;
  mounts: number;
  /** Temporary files and System V objects. */
  files: number;
  /** Processes that the kernel ended because of the memory limit. */
  oom: number;
}

type Word = 'count' | 'reap' | 'term' | 'kill';

export interface PodStart {
  cluster: ClusterClient;
  plan: PodPlan;
  names: PodNames;
  times: PodTimes;
}

/** In milliseconds. */
export interface PodTimes {
  /** For images, volumes and a free node. */
  start: number;
  /** For the end of a pod that was deleted. */
  end: number;
}

/**
 * A pod in which commands run one after the other. Its main process reads from a connection of this process and ends
 * with it: a killed Klaus process leaves no running pod behind.
 */
export class Pod implements SlotContainer {
  readonly name: string;
  readonly key: string;
  readonly #cluster: ClusterClient;
  readonly #since = performance.now();
  readonly #endMs: number;
  #main: PodStream | undefined;
  #hasEnded = false;
  #answers = '';
  readonly #waiting = new Map<number, (report: Report) => void>();
  #questions = 0;
  #first: Report | undefined;
  #last: Report | undefined;
  #end: Promise<void> | undefined;

  private constructor({ cluster, plan, names, times }: PodStart) {
    this.#endMs = times.end;
    this.#cluster = cluster;
    this.key = plan.key;
    this.name = names.name;
  }

  /** Resolves when commands can run. @throws KlausError `sandbox.failed` with the reason of the cluster. */
  static async start(options: PodStart): Promise<Pod> {
    const pod = new Pod(options);
    try {
      await options.cluster.createPod(toPod(options.plan, options.names));
      await pod.#waitUntilRunning(options.times.start);
      await pod.#connect();
    } catch (error) {
      await pod.end();
      throw error;
    }
    return pod;
  }

  async #waitUntilRunning(startMs: number): Promise<void> {
    const begun = performance.now();
    for (;;) {
      const found = await this.#cluster.readPod(this.name);
      if (!found) throw new KlausError('sandbox.failed', `The pod ${this.name} was deleted before it started.`);
      if (isRunning(found, CONTAINER)) return;
      const problem = findProblem(found);
      if (problem !== undefined) throw await this.#notStarted(problem);
      if (performance.now() - begun > startMs) throw await this.#notStarted(toWaitReason(found, startMs));
      await sleep(POLL_MS);
    }
  }

  async #notStarted(reason: string): Promise<KlausError> {
    const [warning] = await this.#cluster.listWarnings(this.name).catch(() => []);
    const detail = warning === undefined ? '' : ` The cluster reports: ${warning}`;
    return new KlausError('sandbox.failed', `The pod ${this.name} does not start: ${reason}.${detail}`, {
      hint: 'Correct the settings `sandbox.image` and `sandbox.kubernetes.*`, or the cluster. `klaus doctor` checks them.',
    });
  }

  async #connect(): Promise<void> {
    const main = await this.#cluster.connect(this.name, CONTAINER);
    this.#main = main;
    main.stdout.on('data', (chunk: Buffer) => this.#read(chunk.toString('latin1')));
    void main.ended.then(() => {
      this.#hasEnded = true;
      this.#waiting.clear();
    });
    const report = await this.#ask('count');
    if (!report) throw new KlausError('sandbox.failed', `The main process of the pod ${this.name} does not answer.`);
    this.#first = report;
  }

  async isFresh(): Promise<boolean> {
    if (performance.now() - this.#since > LIFETIME_S * 1_000) return false;
    for (let attempt = 0; attempt < CHECKS && !this.#end; attempt++) {
      const report = await this.#ask(attempt === 0 ? 'count' : 'reap');
      if (!report) return false;
      if (report.files !== this.#first?.files || report.mounts !== this.#first?.mounts) return false;
      if (report.processes === this.#first?.processes) return true;
      await sleep(PAUSE_MS);
    }
    return false;
  }

  /** Starts the process of a command. @throws KlausError `sandbox.failed`. */
  async startCommand(script: string): Promise<PodCommand> {
    const stream = await this.#cluster.connect(this.name, CONTAINER, ['/bin/sh', '-c', COMMAND_SCRIPT]);
    return new PodCommand({
      stream,
      script: `${UNSET_LINE}\n${script}`,
      signal: async (word) => {
        if (!(await this.#ask(word)) && word === 'kill') await this.end();
      },
      waitForEnd: () => this.#endCommand(),
    });
  }

  /** Kills what the command left. @returns The reason if the pod has ended. */
  async #endCommand(): Promise<string | undefined> {
    const before = this.#last?.oom ?? 0;
    if (await this.#ask('kill')) return undefined;
    const found = await this.#cluster.readPod(this.name).catch(() => undefined);
    const end = found && toEndReason(found, CONTAINER);
    await this.end();
    // The kernel may end the main process too when the memory limit is reached.
    if (end?.isOutOfMemory) {
      this.#last = { ...(this.#last ?? { processes: 0, mounts: 0, files: 0 }), oom: before + 1 };
      return undefined;
    }
    return `The pod ${this.name} ended during the command: ${end?.reason ?? 'it was deleted, or the connection to the API server was lost'}.`;
  }

  /** Processes that the kernel ended because of the memory limit, until the last command ended. */
  get outOfMemory(): number {
    return (this.#last?.oom ?? 0) - (this.#first?.oom ?? 0);
  }

  end(): Promise<void> {
    return (this.#end ??= this.#remove());
  }

  async #remove(): Promise<void> {
    // The main process ends with its input, and the kernel ends all other processes with it.
    this.#main?.close();
    const begun = performance.now();
    let isDeleted = false;
    while (performance.now() - begun < this.#endMs) {
      try {
        if (!isDeleted) await this.#cluster.deletePod(this.name);
        isDeleted = true;
        const found = await this.#cluster.readPod(this.name);
        if (!found || hasEnded(found)) return;
      } catch {
        // The API server does not answer. The connection of the main process is closed, so the pod ends by itself.
      }
      await sleep(POLL_MS);
    }
  }

  async #ask(word: Word): Promise<Report | undefined> {
    const main = this.#main;
    if (!main || this.#hasEnded) return undefined;
    const question = ++this.#questions;
    const { promise, resolve } = Promise.withResolvers<Report | undefined>();
    this.#waiting.set(question, resolve);
    const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
    void main.ended.then(() => resolve(undefined));
    main.write(Buffer.from(`${question} ${word}\n`), (error) => {
      if (error) resolve(undefined);
    });
    const report = await promise;
    clearTimeout(timer);
    this.#waiting.delete(question);
    return report;
  }

  #read(text: string): void {
    const lines = (this.#answers + text).split('\n');
    this.#answers = lines.pop() ?? '';
    for (const line of lines) {
      const found = /^(\d+) (\d+) (\d+) (\d+) (\d+)$/.exec(line);
      if (!found) continue;
      const [question, processes, mounts, files, oom] = found.slice(1).map(Number) as [
        number,
        number,
        number,
        number,
        number,
      ];
      this.#last = { processes, mounts, files, oom };
      this.#waiting.get(question)?.(this.#last);
    }
  }
}

function toWaitReason(pod: V1Pod, startMs: number): string {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const reason = scheduled?.status === 'False' ? `, no node takes it (${scheduled.message ?? scheduled.reason})` : '';
  return `it does not run after ${Math.round(startMs / 1_000)} seconds${reason}`;
}
