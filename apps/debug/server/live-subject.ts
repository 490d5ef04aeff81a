import { UNINITIALIZED } from '../capture/capture.ts';
import type { ContextEntry } from '../contract/index.ts';
import type { Redactor } from '../redact/create-redactor.ts';
import { describeValue, type Part } from '../render/describe-value.ts';
import { toValueNode } from '../render/format-value.ts';
import { resolvePath } from '../render/resolve-path.ts';
import { toFingerprint } from '../stack/fingerprint.ts';
import { listNotes } from '../stack/list-notes.ts';
import { summarizeError } from '../stack/summarize-error.ts';
import { toFrames } from '../stack/to-frames.ts';
import type { Subject } from './subject.ts';

export interface LiveOptions {
  /** Undefined: there is none, unless the context has an item `error` that is undefined. */
  error: unknown;
  context: Readonly<Record<string, unknown>>;
  descriptions?: Readonly<Record<string, string>> | undefined;
  redactor: Redactor;
}

/** An error of this process, with live references. */
export function createLiveSubject(options: LiveOptions): Subject {
  const { error, context, descriptions = {}, redactor } = options;
  // `undefined` can be thrown, too.
  const hasError = error !== undefined || ('error' in context && context['error'] === undefined);
  const found = hasError ? toFrames(error) : [];
  const notes = hasError ? listNotes(error) : [];
  const frames = found.map(({ frame }) => frame);
  const values = { ...(!hasError || 'error' in context ? {} : { error }), ...context };
  for (const { locals } of found) if (locals) redactor.learn(Object.fromEntries(locals));
  redactor.learn(values);
  const partsOf = (frame: number): Part[] =>
    [...(found[frame]?.locals ?? [])].map(([name, value]) =>
      value === UNINITIALIZED
        ? { name, step: name, value: undefined, note: '<not initialized>' }
        : { name, step: name, key: name, value },
    );
  return {
    frames,
    values,
    ...(notes.length > 0 ? { notes } : {}),
    error: hasError ? summarizeError(error, redactor) : undefined,
    fingerprint: toFingerprint(error),
    context: Object.entries(values).map(([name, value]): ContextEntry => {
      const description = descriptions[name];
      return {
        name,
        type: describeValue(value).type,
        ...(description === undefined ? {} : { description: redactor.text(description) }),
      };
    }),
    locals(frame) {
      const locals = found[frame]?.locals;
      return locals && Object.fromEntries([...locals].filter(([, value]) => value !== UNINITIALIZED));
    },
    tree(frame, { path, depth }) {
      const parts = partsOf(frame);
      const options = { mask: redactor, depth };
      if (path === undefined) return parts.map((part) => toValueNode(part, part.step, options));
      const root = parts.find(
        ({ step }) => path === step || (path.startsWith(step) && /^[.[<]/.test(path.slice(step.length))),
      );
      const part = root && resolvePath(root, path.slice(root.step.length));
      return part ? [toValueNode(part, path, options)] : [];
    },
  };
}
