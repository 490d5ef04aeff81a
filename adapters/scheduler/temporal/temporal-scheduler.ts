import type { Client, Connection, Workflow, WorkflowExecutionDescription } from '@temporalio/client';
import type { RunScheduler, RunSession, RunStatus, RunWorker, WakeReason } from '@klaus/core/agent';
import { isUnknownWorkflow, toSchedulerError } from './temporal-errors.ts';
import { loadClient } from './packages.ts';
import { type TemporalOptions, type TenantShare, toConnectionOptions } from './temporal-options.ts';
import { TemporalWorker } from './temporal-worker.ts';
import { AT, PLAN, type Plan, WAKE, WORKFLOW } from './workflow/contract.ts';

/** Milliseconds that the query of a plan may take. Without a worker nothing answers it. */
const PLAN_MS = 3_000;
/** Milliseconds after which a decision that a worker took and lost is taken by another one. */
const DECISION_MS = 2_000;
/** The state of an activity whose attempt has begun, in the engine's protocol. */
const STARTED = 2;
const CANCEL_REQUESTED = 3;

interface Signal {
  name: string;
  args: number[];
  /** Milliseconds until a workflow that this signal starts begins. */
  startDelay?: number;
}

/**
 * The scheduler of several machines: one workflow of Temporal for each session that has something to do. The engine stores
 * ids and times only.
 */
export class TemporalScheduler implements RunScheduler, AsyncDisposable {
  readonly #options: TemporalOptions & { namespace: string; taskQueue: string };
  readonly #connection: Connection;
  readonly #client: Client;
  readonly #timeoutMs: number;

  /** Use {@link openTemporalScheduler}. */
  constructor(options: TemporalOptions) {
    const { namespace = 'default', taskQueue = 'klaus', timeoutMs = 10_000 } = options;
    const { Connection, Client } = loadClient();
    this.#options = { ...options, namespace, taskQueue };
    this.#timeoutMs = timeoutMs;
    this.#connection = Connection.lazy({ ...toConnectionOptions(options), connectTimeout: timeoutMs });
    this.#client = new Client({ connection: this.#connection, namespace });
  }

  /** @throws KlausError `scheduler.failed` when the engine cannot be reached, `config` without the namespace, `auth`. */
  async check(): Promise<void> {
    const { namespace } = this.#options;
    await this.#call(() => this.#connection.workflowService.describeNamespace({ namespace }));
  }

  async wake(session: string, _why: WakeReason): Promise<void> {
    await this.#signal(session, { name: WAKE, args: [] });
  }

  async at(session: string, time: number): Promise<void> {
    // The signal that starts a workflow does not end its delay, any other one does.
    await this.#signal(session, { name: AT, args: [time], startDelay: Math.max(0, time - Date.now()) });
  }

  async cancel(session: string): Promise<void> {
    // Not a request for cancellation: this one needs no worker, and has happened when the call returns.
    const handle = this.#client.workflow.getHandle(this.#idOf(session));
    await this.#call(() => handle.terminate('cancelled by Klaus')).catch(ignoreUnknown);
  }

  async status(session: string): Promise<RunStatus> {
    const handle = this.#client.workflow.getHandle(this.#idOf(session));
    const described = await this.#call(() => handle.describe()).catch(ignoreUnknown);
    if (described?.status.name !== 'RUNNING') return { state: 'idle' };
    const activity = described.raw.pendingActivities?.[0];
    if (activity) {
      const isRunning = activity.state === STARTED || activity.state === CANCEL_REQUESTED;
      const since = toMs(isRunning ? activity.lastStartedTime : activity.scheduledTime);
      return { state: isRunning ? 'running' : 'queued', ...(since !== undefined && { since }) };
    }
    return toDelayed(described) ?? (await this.#planOf(session)) ?? toPlanless(described);
  }

  work(run: RunSession, { slots }: { slots: number }): RunWorker {
    return new TemporalWorker(this.#options, { run, slots });
  }

  /** Closes the connection. Workers have their own. */
  async close(): Promise<void> {
    await this.#connection.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #idOf(session: string): string {
    return `${this.#options.prefix ?? 'session-'}${session}`;
  }

  async #signal(session: string, { name, args, startDelay }: Signal): Promise<void> {
    const { taskQueue, shareOf } = this.#options;
    // Without its tenant a session still wakes: the tenant counts for the order only.
    const share = await shareOf?.(session).catch(() => undefined);
    const options = {
      workflowId: this.#idOf(session),
      taskQueue,
      args: [session],
      signal: name,
      signalArgs: args,
      ...(startDelay !== undefined && { startDelay }),
      ...(share && { priority: toPriority(share) }),
      workflowTaskTimeout: DECISION_MS,
    };
    await this.#call(() => this.#client.workflow.signalWithStart<Workflow, number[]>(WORKFLOW, options));
  }

  /** Undefined when no worker answers. */
  async #planOf(session: string): Promise<RunStatus | undefined> {
    const handle = this.#client.workflow.getHandle(this.#idOf(session));
    try {
      return await this.#connection.withDeadline(Date.now() + PLAN_MS, () => handle.query<Plan>(PLAN));
    } catch (error) {
      return isUnknownWorkflow(error) ? { state: 'idle' } : undefined;
    }
  }

  async #call<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await this.#connection.withDeadline(Date.now() + this.#timeoutMs, run);
    } catch (error) {
      if (isUnknownWorkflow(error)) throw error;
      throw toSchedulerError(error, this.#options);
    }
  }
}

/**
 * Connects to Temporal, and checks that it answers and has the namespace.
 *
 * @throws KlausError `config` without the packages or the namespace, `auth`, or `scheduler.failed`.
 */
export async function openTemporalScheduler(options: TemporalOptions): Promise<TemporalScheduler> {
  const scheduler = new TemporalScheduler(options);
  try {
    await scheduler.check();
  } catch (error) {
    await scheduler.close();
    throw error;
  }
  return scheduler;
}

function toPriority({ tenant, weight = 1, priority = 3 }: TenantShare) {
  return { fairnessKey: tenant, fairnessWeight: weight, priorityKey: priority };
}

function ignoreUnknown(error: unknown): undefined {
  if (!isUnknownWorkflow(error)) throw error;
}

/** The state of a workflow that has not begun: only its start and the signal of `at` are in its history. */
function toDelayed({ raw, historyLength }: WorkflowExecutionDescription): RunStatus | undefined {
  const until = toMs(raw.workflowExecutionInfo?.executionTime);
  const isDelayed = historyLength <= 2 && !raw.pendingWorkflowTask && until !== undefined && until > Date.now();
  return isDelayed ? { state: 'waiting', until } : undefined;
}

/** The state without an answer of the workflow. */
function toPlanless({ raw }: WorkflowExecutionDescription): RunStatus {
  const { pendingWorkflowTask } = raw;
  if (!pendingWorkflowTask) return { state: 'waiting' };
  const since = toMs(pendingWorkflowTask.originalScheduledTime);
  return { state: 'queued', ...(since !== undefined && { since }) };
}

/** Unix milliseconds of a time in the engine's protocol. */
function toMs(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number | undefined {
  return time ? Number(time.seconds ?? 0) * 1_000 + Math.floor((time.nanos ?? 0) / 1e6) : undefined;
}
