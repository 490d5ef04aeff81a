import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Event, EventOf, SandboxStart } from '@klaus/sdk';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Upper bounds of the histogram buckets, in seconds. */
const TOOL_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];
const MODEL_SECONDS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600];
const RUN_SECONDS = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 14_400];
const START_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Resolution of the default event-loop metrics: each sample wakes an idle server. */
const LOOP_PRECISION_MS = 5_000;
/** Resolution of the lag metric, which is sampled only while a collector reads it regularly. */
const LAG_PRECISION_MS = 20;
const LAG_IDLE_MS = 5 * 60_000;

/** Where the gauges read their values. */
export interface MetricSources {
  running: () => number;
  queued: () => number;
  approvals: () => number;
  /** By kind. */
  subscribers: () => Readonly<Record<string, number>>;
  /** 1 for each service that answers, else 0. Default: there are none. */
  services?: () => Readonly<Record<string, number>>;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Labels with names of models and tools are limited. No label contains a session id. */
export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  const registers = [registry];
  // Process metrics under their usual names.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_PRECISION_MS });
  const counters = createCounters(registers);
  const toModel = limitCardinality();
  const toTool = limitCardinality();
  const begun = new Map<string, number>();
  const closeGauges = declareGauges(sources, registers);

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
    countStart({ driver, outcome, durationMs }: SandboxStart): void {
      counters.starts.inc({ driver, outcome });
      if (outcome === 'ok') counters.startSeconds.observe({ driver }, durationMs / 1_000);
    },
    /** Counts an event of a session that runs here. */
    count(event: Event): void {
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
    /** In the text format of Prometheus, version 0.0.4. */
    toText: (): Promise<string> => registry.metrics(),
    close(): void {
      closeGauges();
      registry.clear();
    },
  };
}

const PURPOSES: readonly EventOf<'model.requested'>['purpose'][] = [
  'turn',
  'compaction',
  'title',
  'review',
  'search',
  'program',
];

function createCounters(registers: Registry[]) {
  const counter = <const L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter<L>({ name, help, labelNames, registers });
  const seconds = <const L extends string>([name, buckets]: [string, number[]], help: string, labelNames: L[]) =>
    new Histogram<L>({ name, help, labelNames, buckets, registers });
  return {
    runs: counter('klaus_runs_total', 'Finished runs by outcome.', ['outcome']),
    runSeconds: seconds(
      ['klaus_run_duration_seconds', RUN_SECONDS],
      'Duration of runs that started and ended on this server.',
      [],
    ),
    turns: counter('klaus_turns_total', 'Answers of models.', ['model']),
    requests: counter('klaus_model_requests_total', 'Requests to models by outcome.', ['model', 'outcome']),
    requestSeconds: seconds(
      ['klaus_model_request_duration_seconds', MODEL_SECONDS],
      'Time from a request to the end of its answer.',
      ['model'],
    ),
    tokens: counter('klaus_tokens_total', 'Tokens by class.', ['model', 'class']),
    cost: counter('klaus_cost_usd_total', 'Cost in US dollars of models with a known price.', ['model']),
    calls: counter('klaus_tool_calls_total', 'Finished tool calls by outcome.', ['tool', 'outcome']),
    callSeconds: seconds(['klaus_tool_duration_seconds', TOOL_SECONDS], 'Duration of tool calls.', ['tool']),
    decisions: counter('klaus_gate_decisions_total', 'Decisions of the gate by verdict.', ['verdict']),
    approvals: counter('klaus_approvals_total', 'Answered approvals by answer.', ['answer']),
    starts: counter('klaus_sandbox_starts_total', 'Commands started in a sandbox by driver and outcome.', [
      'driver',
      'outcome',
    ]),
    startSeconds: seconds(
      ['klaus_sandbox_start_duration_seconds', START_SECONDS],
      'Time until a command started in its sandbox.',
      ['driver'],
    ),
  };
}

/** @returns Stops sampling. */
function declareGauges(sources: MetricSources, registers: Registry[]): () => void {
  const gauge = (name: string, help: string, read: () => number): void =>
    void new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('klaus_runs_active', 'Running sessions.', sources.running);
  gauge('klaus_runs_queued', 'Queued sessions.', sources.queued);
  gauge('klaus_approvals_waiting', 'Open approvals of all sessions.', sources.approvals);
  new Gauge({
    name: 'klaus_stream_subscribers',
    help: 'Open streams and sockets by kind.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const [kind, count] of Object.entries(sources.subscribers())) this.set({ kind }, count);
    },
  });
  const { services } = sources;
  if (services)
    new Gauge({
      name: 'klaus_service_up',
      help: '1 for each service that answers the worker, and for its sandbox, else 0.',
      labelNames: ['service'],
      registers,
      collect() {
        for (const [service, isUp] of Object.entries(services())) this.set({ service }, isUp);
      },
    });
  const lag = monitorEventLoopDelay({ resolution: LAG_PRECISION_MS });
  let unused: NodeJS.Timeout | undefined;
  gauge('klaus_event_loop_lag_seconds', '99th percentile of the event-loop delay since the last read.', () => {
    lag.enable();
    clearTimeout(unused);
    unused = setTimeout(() => lag.disable(), LAG_IDLE_MS).unref();
    const seconds = Number.isNaN(lag.mean) ? 0 : lag.percentile(99) / 1e9;
    lag.reset();
    return seconds;
  });
  return () => {
    clearTimeout(unused);
    lag.disable();
  };
}

const MAX_VALUES = 100;
const MAX_LENGTH = 100;

/**
 * Limits the values of a label: after the first hundred, each new value becomes `other`. Models and users choose the names,
 * and each value is a time series.
 */
function limitCardinality(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    const name = value.slice(0, MAX_LENGTH);
    if (known.size < MAX_VALUES) known.add(name);
    return known.has(name) ? name : 'other';
  };
}
