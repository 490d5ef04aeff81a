import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Event } from '@klaus/sdk';

/** Values that one label may have; whatever comes after them counts as `other`: names come from models and users. */
const MAX_VALUES = 100;
/** Upper bounds of the classes of durations, in seconds. */
const BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300] as const;

type Labels = Readonly<Record<string, string>>;

interface Family {
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  values: Map<string, number>;
}

/** What is counted while the server works, and what is looked up when somebody asks. */
export interface Metrics {
  /** An event of a session that this server works on. */
  count(event: Event): void;
  /** In the text format of Prometheus, version 0.0.4. */
  toText(): string;
}

/** Figures that are read when they are asked for, by name. */
export type Gauges = Readonly<Record<string, { help: string; read: () => number }>>;

export function createMetrics(gauges: Gauges): Metrics {
  const families = new Map<string, Family>();
  const known = new Map<string, Set<string>>();
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();

  const declare = (name: string, type: Family['type'], help: string): void =>
    void families.set(name, { help, type, values: new Map() });
  const add = (name: string, labels: Labels, amount = 1): void => {
    const { values } = families.get(name)!;
    const key = toLabels(labels, known);
    values.set(key, (values.get(key) ?? 0) + amount);
  };
  declare('klaus_runs_total', 'counter', 'Runs that ended, by outcome.');
  declare('klaus_turns_total', 'counter', 'Answers of models, by model.');
  declare('klaus_model_requests_total', 'counter', 'Requests to models, by model and outcome.');
  declare('klaus_tokens_total', 'counter', 'Tokens by model and class.');
  declare('klaus_cost_usd_total', 'counter', 'US dollars by model, where the price is known.');
  declare('klaus_tool_calls_total', 'counter', 'Tool calls that ended, by tool and outcome.');
  declare('klaus_tool_duration_seconds', 'histogram', 'How long tool calls took.');
  declare('klaus_gate_decisions_total', 'counter', 'Decisions of the gate, by verdict.');
  declare('klaus_approvals_total', 'counter', 'Questions that were settled, by answer.');

  const addDuration = (tool: string, seconds: number): void => {
    for (const bound of [...BUCKETS, Infinity]) {
      if (seconds > bound) continue;
      add('klaus_tool_duration_seconds', { tool, le: bound === Infinity ? '+Inf' : String(bound) });
    }
    add('klaus_tool_duration_seconds', { tool, part: 'sum' }, seconds);
    add('klaus_tool_duration_seconds', { tool, part: 'count' });
  };

  return {
    count(event) {
      switch (event.type) {
        case 'run.finished':
          return add('klaus_runs_total', { outcome: event.outcome });
        case 'gate.decided':
          return add('klaus_gate_decisions_total', { verdict: event.verdict });
        case 'approval.answered':
          return add('klaus_approvals_total', { answer: event.answer });
        case 'tool.finished':
          addDuration(event.name, event.durationMs / 1_000);
          return add('klaus_tool_calls_total', { tool: event.name, outcome: event.outcome });
        case 'model.attempted': {
          const { model, usage, usd } = event;
          add('klaus_model_requests_total', { model, outcome: event.outcome });
          if (event.purpose === 'turn' && event.outcome === 'ok') add('klaus_turns_total', { model });
          for (const [kind, tokens] of Object.entries(usage)) add('klaus_tokens_total', { model, class: kind }, tokens);
          if (usd !== null) add('klaus_cost_usd_total', { model }, usd);
          return undefined;
        }
        default:
          return undefined;
      }
    },
    toText() {
      const lines: string[] = [];
      for (const [name, { help, type, values }] of families) {
        lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
        for (const [labels, value] of values) lines.push(toLine(name, labels, value));
      }
      const read = {
        ...gauges,
        klaus_event_loop_lag_seconds: {
          help: 'Delay of the event loop, 99th percentile.',
          read: () => (Number.isNaN(lag.mean) ? 0 : lag.percentile(99) / 1e9),
        },
        process_resident_memory_bytes: { help: 'Memory of the process.', read: () => process.memoryUsage.rss() },
      };
      for (const [name, gauge] of Object.entries(read)) {
        lines.push(`# HELP ${name} ${gauge.help}`, `# TYPE ${name} gauge`, `${name} ${gauge.read()}`);
      }
      return `${lines.join('\n')}\n`;
    },
  };
}

/** `{a="b"}`, with values that are bounded in number and escaped. */
function toLabels(labels: Labels, known: Map<string, Set<string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    let values = known.get(name);
    if (!values) known.set(name, (values = new Set()));
    if (values.size < MAX_VALUES) values.add(value);
    const shown = values.has(value) ? value : 'other';
    return `${name}="${shown.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
  });
  return `{${pairs.join(',')}}`;
}

/** The parts of a histogram have names of their own. */
function toLine(name: string, labels: string, value: number): string {
  const part = /,part="(sum|count)"/.exec(labels);
  if (part) return `${name}_${part[1]}${labels.replace(part[0], '')} ${value}`;
  return `${name}${labels.includes(',le="') ? '_bucket' : ''}${labels} ${value}`;
}
