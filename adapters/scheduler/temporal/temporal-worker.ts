import type { Worker } from '@temporalio/worker';
import type { RunOutcome, RunSession, RunWorker } from '@klaus/core/agent';
import { toKlausError } from '@klaus/core/protocol';
import { installRuntime, loadWorker, type TemporalPackages } from './packages.ts';
import { toSchedulerError } from './temporal-errors.ts';
import { type TemporalOptions, toConnectionOptions } from './temporal-options.ts';
import { provideWorkflowBundle } from './workflow-bundle.ts';
import { type Advance, type AttemptResult, HEARTBEAT_TIMEOUT_MS } from './workflow/contract.ts';

/** Milliseconds between two heartbeats. The engine gets each second one. */
const BEAT_MS = HEARTBEAT_TIMEOUT_MS / 4;
/** Milliseconds until a worker that failed connects again. */
const RETRY_MS = 1_000;
/** Milliseconds after which a decision for a workflow goes to another worker than the last one. */
const STICKY_MS = 1_000;
/** Workflows that a worker keeps in memory. Others are rebuilt from their short histories. */
const CACHED = 500;

type Options = TemporalOptions & { namespace: string; taskQueue: string };

/** Runs sessions in this process until it is stopped. It connects again after each failure. */
export class TemporalWorker implements RunWorker {
  readonly #options: Options;
  readonly #run: RunSession;
  readonly #slots: number;
  readonly #packages: Pick<TemporalPackages, 'worker' | 'activity'>;
  readonly #pause = new AbortController();
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  #worker: Worker | undefined;

  /** @throws KlausError `config` when the packages are not installed. */
  constructor(options: Options, { run, slots }: { run: RunSession; slots: number }) {
    this.#options = options;
    this.#run = run;
    this.#slots = slots;
    this.#packages = loadWorker();
    installRuntime(this.#packages);
    this.#ended = this.#work();
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#pause.abort();
    if (this.#worker?.getState() === 'RUNNING') this.#worker.shutdown();
    const timer = setTimeout(() => this.#abort.abort(), timeoutMs);
    await this.#ended;
    clearTimeout(timer);
  }

  async #work(): Promise<void> {
    while (!this.#pause.signal.aborted) {
      try {
        await this.#connectAndRun();
      } catch (error) {
        this.#options.onError?.(toSchedulerError(error, this.#options));
        await this.#delay();
      }
    }
  }

  async #connectAndRun(): Promise<void> {
    const { worker: temporal } = this.#packages;
    const { namespace, taskQueue, cacheFolder } = this.#options;
    const codePath = await provideWorkflowBundle(this.#packages, cacheFolder);
    const connection = await temporal.NativeConnection.connect(toConnectionOptions(this.#options));
    try {
      this.#worker = await temporal.Worker.create({
        connection,
        namespace,
        taskQueue,
        workflowBundle: { codePath },
        activities: { advance: this.#advance satisfies Advance },
        maxConcurrentActivityTaskExecutions: this.#slots,
        maxCachedWorkflows: CACHED,
        stickyQueueScheduleToStartTimeout: STICKY_MS,
        maxHeartbeatThrottleInterval: HEARTBEAT_TIMEOUT_MS / 2,
        defaultHeartbeatThrottleInterval: HEARTBEAT_TIMEOUT_MS / 2,
        // `stop` has its own time-out and aborts by itself.
        shutdownGraceTime: '30 days',
      });
      if (!this.#pause.signal.aborted) await this.#worker.run();
    } finally {
      this.#worker = undefined;
      await connection.close();
    }
  }

  readonly #advance: Advance = async (session, token) => {
    const { info, cancellationSignal, heartbeat } = this.#packages.activity.Context.current();
    // Taken just before the end: another worker runs it.
    if (this.#pause.signal.aborted) return { state: 'paused' };
    const beat = setInterval(() => heartbeat(), BEAT_MS);
    const attempt = token + info.attempt - 1;
    const signal = AbortSignal.any([cancellationSignal, this.#abort.signal]);
    try {
      return toResult(await this.#run({ session, attempt, signal, pause: this.#pause.signal }));
    } catch (error) {
      // The engine does not try again: the same error would end each attempt. The next wake does.
      return { state: 'failed', code: toKlausError(error).code };
    } finally {
      clearInterval(beat);
    }
  };

  async #delay(): Promise<void> {
    const { signal } = this.#pause;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RETRY_MS);
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    });
  }
}

/** Only what the workflow reads: nothing else of a run gets into the engine. */
function toResult(outcome: RunOutcome): AttemptResult {
  if (outcome.state !== 'waiting') return { state: outcome.state };
  return { state: 'waiting', ...(outcome.until !== undefined && { until: outcome.until }) };
}
