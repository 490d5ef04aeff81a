import type { DebugRecord } from '../contract/index.ts';
import type { OpenedContext } from '../investigate/context.ts';
import { createRedactor } from '../redact/create-redactor.ts';
import { toValueNode } from '../render/format-value.ts';
import { createLiveSubject } from '../server/live-subject.ts';

/** Levels of values in a record. */
const DEPTH = 4;
/** Frames whose variables are in a record. */
const MAX_FRAMES = 20;

export interface RecordOptions {
  projectRoot: string;
  redact?: readonly (string | RegExp)[] | undefined;
  /** Default true: with the variables of the frames, if they were captured. */
  locals?: boolean | undefined;
}

/** The record of an error and its context, with secrets masked. Synchronous; runs no code of the program. */
export function createRecord({ error, values, descriptions }: OpenedContext, options: RecordOptions): DebugRecord {
  const redactor = createRedactor({ redact: options.redact });
  const subject = createLiveSubject({ error, context: values, descriptions, redactor });
  const frames = subject.frames.map((frame, index) => {
    if (frame.hasLocals !== true || options.locals === false || index >= MAX_FRAMES) return { ...frame, hasLocals: false };
    return { ...frame, locals: [...subject.tree(index, { path: undefined, depth: DEPTH })] };
  });
  return {
    protocol: 1,
    fingerprint: subject.fingerprint,
    language: 'javascript',
    runtime: `node ${process.versions.node}`,
    timestamp: new Date().toISOString(),
    pid: process.pid,
    projectRoot: options.projectRoot,
    error: subject.error ?? { name: 'undefined', message: 'undefined' },
    frames,
    context: subject.context.map((entry) => ({
      ...entry,
      value: toValueNode(
        { name: entry.name, step: entry.name, key: entry.name, value: subject.values[entry.name] },
        entry.name,
        { mask: redactor, depth: DEPTH },
      ),
    })),
    console: [],
    count: 1,
  };
}
