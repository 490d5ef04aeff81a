import type { DebugRecord, ErrorSummary, ValueNode } from '../contract/index.ts';
import type { OpenedContext } from '../investigate/context.ts';

/**
 * What an agent looks at instead of the program: the error, the items of the context, and `frames`, whose `locals` are
 * the variables. Values are as deep as the record.
 */
export function reviveRecord(record: DebugRecord): OpenedContext {
  const items = record.context.map(({ name, value }) => [name, reviveValue(value)] as const);
  const error = reviveError(record.error);
  const frames = record.frames.map(({ locals = [], ...frame }) => ({ ...frame, locals: reviveParts(locals) }));
  const described = record.context.flatMap(({ name, description }) => (description === undefined ? [] : [[name, description]]));
  return {
    error,
    values: { ...Object.fromEntries(items), error, frames, console: record.console },
    descriptions: {
      ...(Object.fromEntries(described) as Record<string, string>),
      frames: 'The frames of the error, the innermost first; `locals` are the variables that were captured.',
      console: 'What the program printed before the error.',
    },
  };
}

function reviveError({ name, message, stack, code, cause }: ErrorSummary): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause: reviveError(cause) });
  Object.defineProperty(error, 'name', { value: name, enumerable: false });
  if (stack !== undefined) error.stack = stack;
  return code === undefined ? error : Object.assign(error, { code });
}

function reviveParts(nodes: readonly ValueNode[]): Record<string, unknown> {
  return Object.fromEntries(nodes.map((node) => [toKey(node.name), reviveValue(node)]));
}

/** A value with the structure of the node; a leaf is its preview, unless that is a number, `true` or the like. */
function reviveValue({ type, preview, children }: ValueNode): unknown {
  if (children !== undefined) {
    return type === 'Array' ? children.map((child) => reviveValue(child)) : reviveParts(children);
  }
  if (type === 'undefined') return undefined;
  if (type === 'number' || type === 'boolean' || type === 'null' || type === 'string') {
    try {
      return JSON.parse(preview) as unknown;
    } catch {
      return type === 'number' ? Number(preview) : preview;
    }
  }
  return preview;
}

/** `user` of `user`, `0` of `[0]`, `a key` of `"a key"`. */
function toKey(name: string): string {
  const inner = /^\[(.*)\]$/u.exec(name)?.[1] ?? name;
  if (!inner.startsWith('"')) return inner;
  try {
    return String(JSON.parse(inner));
  } catch {
    return inner;
  }
}
