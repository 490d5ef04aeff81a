import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Event, EventOf, SandboxStart } from '@klaus/sdk';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { limitCardinality } from './limit-cardinality.ts';

/** Upper bounds of the classes of durations, in seconds. */
const TOOL_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];
const MODEL_SECONDS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600];
const RUN_SECONDS = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 14_400];
const START_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Milliseconds between two measurements of the event loop by the process's own figures: each wakes an idle server. */
const LOOP_PRECISION_MS = 5_000;
/** The same for Klaus's figure, which is measured only while somebody asks for it now and then. */
const LAG_PRECISION_MS = 20;
const LAG_KEPT_MS = 5 * 60_000;

/** Figures that are read when somebody asks. */
export interface Gauges {
  running: () => number;
  queued: () => number;
  approvals: () => number;
  /** By kind. */
  subscribers: () => Readonly<Record<string, number>>;
}

/** What is counted while the server works, and what is looked up when somebody asks. */
export interface Metrics {
  readonly mediaType: string;
  /** An event of a session that this server works on. */
  count(event: Event): void;
  countStart(start: SandboxStart): void;
  /** In the text format of Prometheus, version 0.0.4. */
  toText(): Promise<string>;
  /** Ends what is measured all the time. */
  close(): void;
}

/** Models and tools have names from outside: each label is bounded. No label names a session. */
export function createMetrics(gauges: Gauges): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // The process's own, by the names that dashboards know.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_PRECISION_MS });
  const counters = createCounters(registers);
  const toModel = limitCardinality();
  const toTool = limitCardinality();
  const begun = new Map<string, number>();
  const closeGauges = declareGauges(gauges, registers);

  const countAttempt = (event: EventOf<'model.attempted'>): void => {
    const { outcome, purpose, usage, usd } = event;
    const model = toModel(event.model);
    counters.requests.inc({ model, outcome });
    if (purpose === 'turn' && outcome === 'ok') counters.turns.inc({ model });
    for (const [kind, tokens] of Object.entries(usage)) counters.tokens.inc({ model, class: kind }, tokens);
    if (usd !== null) counters.cost.inc({ model }, usd);
    const key = `${event.session}/${purpose}`;
    const since = begun.get(key);
    begun.delete(key);
    if (since !== undefined) counters.requestSeconds.observe({ model }, Math.max(0, event.at - since) / 1_000);
  };

  return {
    mediaType: registry.contentType,
    countStart({ driver, outcome, durationMs }) {
      counters.starts.inc({ driver, outcome });
      if (outcome === 'ok') counters.startSeconds.observe({ driver }, durationMs / 1_000);
    },
    count(event) {
      switch (event.type) {
        case 'run.started':
          begun.set(event.session, event.at);
          return;
        case 'run.finished': {
          const since = begun.get(event.session);
          for (const key of [event.session, ...PURPOSES.map((purpose) => `${event.session}/${purpose}`)])
            begun.delete(key);
          counters.runs.inc({ outcome: event.outcome });
          if (since !== undefined) counters.runSeconds.observe(Math.max(0, event.at - since) / 1_000);
          return;
        }
        case 'turn.started':
          begun.set(`${event.session}/turn`, event.at);
          return;
        case 'model.requested':
          begun.set(`${event.session}/${event.purpose}`, event.at);
          return;
        case 'model.attempted':
          return countAttempt(event);
        case 'gate.decided':
          return counters.decisions.inc({ verdict: event.verdict });
        case 'approval.answered':
          return counters.approvals.inc({ answer: event.answer });
        case 'tool.finished': {
          const tool = toTool(event.name);
          counters.calls.inc({ tool, outcome: event.outcome });
          return counters.callSeconds.observe({ tool }, event.durationMs / 1_000);
        }
        default:
          return;
      }
    },
    toText: () => registry.metrics(),
    close() {
      closeGauges();
      registry.clear();
    },
  };
}

const PURPOSES: readonly EventOf<'model.requested'>['purpose'][] = ['turn', 'compaction', 'title'];

function createCounters(registers: Registry[]) {
  const counter = <const L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter<L>({ name, help, labelNames, registers });
  const seconds = <const L extends string>([name, buckets]: [string, number[]], help: string, labelNames: L[]) =>
    new Histogram<L>({ name, help, labelNames, buckets, registers });
  return {
    runs: counter('klaus_runs_total', 'Runs that ended, by outcome.', ['outcome']),
    runSeconds: seconds(
      ['klaus_run_duration_seconds', RUN_SECONDS],
      'How long runs took that began and ended here.',
      [],
    ),
    turns: counter('klaus_turns_total', 'Answers of models, by model.', ['model']),
    requests: counter('klaus_model_requests_total', 'Requests to models, by model and outcome.', ['model', 'outcome']),
    requestSeconds: seconds(
      ['klaus_model_request_duration_seconds', MODEL_SECONDS],
      'From a request to the end of its answer.',
      ['model'],
    ),
    tokens: counter('klaus_tokens_total', 'Tokens by model and class.', ['model', 'class']),
    cost: counter('klaus_cost_usd_total', 'US dollars by model, where the price is known.', ['model']),
    calls: counter('klaus_tool_calls_total', 'Tool calls that ended, by tool and outcome.', ['tool', 'outcome']),
    callSeconds: seconds(['klaus_tool_duration_seconds', TOOL_SECONDS], 'How long tool calls took.', ['tool']),
    decisions: counter('klaus_gate_decisions_total', 'Decisions of the gate, by verdict.', ['verdict']),
    approvals: counter('klaus_approvals_total', 'Questions that were settled, by answer.', ['answer']),
    starts: counter('klaus_sandbox_starts_total', 'Commands that were started in a sandbox, by driver and outcome.', [
      'driver',
      'outcome',
    ]),
    startSeconds: seconds(
      ['klaus_sandbox_start_duration_seconds', START_SECONDS],
      'From the request for a command until it began, by driver.',
      ['driver'],
    ),
  };
}

/** @returns What ends the measuring. */
function declareGauges(gauges: Gauges, registers: Registry[]): () => void {
  const gauge = (name: string, help: string, read: () => number): void =>
    void new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('klaus_runs_active', 'Sessions that are worked on.', gauges.running);
  gauge('klaus_runs_queued', 'Sessions that wait for a place.', gauges.queued);
  gauge('klaus_approvals_waiting', 'Open questions of all sessions.', gauges.approvals);
  new Gauge({
    name: 'klaus_stream_subscribers',
    help: 'Open streams and sockets, by kind.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const [kind, count] of Object.entries(gauges.subscribers())) this.set({ kind }, count);
    },
  });
  const lag = monitorEventLoopDelay({ resolution: LAG_PRECISION_MS });
  let unused: NodeJS.Timeout | undefined;
  gauge('klaus_event_loop_lag_seconds', 'Delay of the event loop since the last look, 99th percentile.', () => {
    lag.enable();
    clearTimeout(unused);
    unused = setTimeout(() => lag.disable(), LAG_KEPT_MS).unref();
    const seconds = Number.isNaN(lag.mean) ? 0 : lag.percentile(99) / 1e9;
    lag.reset();
    return seconds;
  });
  return () => {
    clearTimeout(unused);
    lag.disable();
  };
}
