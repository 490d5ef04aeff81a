import { PROTOCOL } from './protocol.ts';
import type { ConsoleEntry, DebugRecord } from '../contract/index.ts';
import { createRedactor } from '../redact/create-redactor.ts';
import { toValueNode } from '../render/format-value.ts';
import { createLiveSubject } from './live-subject.ts';

export interface RecordOptions {
  error: unknown;
  /** The items by name, without `ContextItem` around them. Default: none. */
  context?: Readonly<Record<string, unknown>>;
  descriptions?: Readonly<Record<string, string>>;
  redact?: readonly (string | RegExp)[];
  /** What the program printed. Default: nothing. */
  console?: readonly ConsoleEntry[];
  /** Default: the working folder. */
  projectRoot?: string;
  /** Levels of values. Default 4. */
  depth?: number;
}

/** {@link createRecordNow}, for callers that wait anyway. */
export function createRecord(options: RecordOptions): Promise<DebugRecord> {
  return Promise.resolve(createRecordNow(options));
}

/** Records an error with its frames, variables and context. Secrets are masked. Runs no code of the program. */
export function createRecordNow(options: RecordOptions): DebugRecord {
  const {
    error,
    context = {},
    descriptions,
    redact,
    console: printed = [],
    projectRoot = process.cwd(),
    depth = 4,
  } = options;
  const redactor = createRedactor({ redact });
  const subject = createLiveSubject({ error, context, descriptions, redactor });
  const entries = subject.context.filter(({ name }) => name in context);
  return {
    protocol: PROTOCOL,
    fingerprint: subject.fingerprint,
    language: 'javascript',
    runtime: `node ${process.versions.node}`,
    timestamp: new Date().toISOString(),
    pid: process.pid,
    projectRoot,
    error: subject.error ?? { name: 'undefined', message: 'undefined' },
    frames: subject.frames.map((frame, index) =>
      frame.hasLocals === true ? { ...frame, locals: [...subject.tree(index, { path: undefined, depth })] } : frame,
    ),
    context: entries.map((entry) => {
      const part = { name: entry.name, step: entry.name, key: entry.name, value: context[entry.name] };
      return { ...entry, value: toValueNode(part, entry.name, { mask: redactor, depth, nodes: { left: 2000 } }) };
    }),
    console: printed.map((entry) => ({ ...entry, text: redactor.text(entry.text) })),
    count: 1,
  };
}
