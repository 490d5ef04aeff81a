import type { DebugRecord, ErrorSummary, ValueNode } from '../contract/index.ts';
import type { Subject } from '../server/subject.ts';

/** A recorded failure: what the agent looks at instead of the program. Values are as deep as the record. */
export function createRecordSubject(record: DebugRecord): Subject {
  const items = record.context.filter(({ name }) => name !== 'error').map(({ name, value }) => [name, revive(value)] as const);
  const error = reviveError(record.error);
  return {
    frames: record.frames.map(({ locals: _, ...frame }) => frame),
    context: record.context.map(({ value: _, ...entry }) => entry),
    error: record.error,
    fingerprint: record.fingerprint,
    values: { error, ...Object.fromEntries(items) },
    locals(frame) {
      const nodes = record.frames[frame]?.locals;
      return nodes && reviveParts(nodes.filter(({ name }) => name !== 'this'));
    },
    tree(frame, { path }) {
      const nodes = record.frames[frame]?.locals ?? [];
      if (path === undefined) return nodes;
      const found = findNode(nodes, path);
      return found === undefined ? [] : [found];
    },
  };
}

function findNode(nodes: readonly ValueNode[], path: string): ValueNode | undefined {
  for (const node of nodes) {
    if (node.path === path) return node;
    const found = findNode(node.children ?? [], path);
    if (found !== undefined) return found;
  }
  return undefined;
}

function reviveError({ name, message, stack, code, cause }: ErrorSummary): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause: reviveError(cause) });
  Object.defineProperty(error, 'name', { value: name, enumerable: false });
  if (stack !== undefined) error.stack = stack;
  return code === undefined ? error : Object.assign(error, { code });
}

function reviveParts(nodes: readonly ValueNode[]): Record<string, unknown> {
  return Object.fromEntries(nodes.map((node) => [toKey(node.name), revive(node)]));
}

/** A value with the structure of the node. A leaf is its preview, unless that is a number, `true` or the like. */
function revive({ type, preview, children }: ValueNode): unknown {
  if (children !== undefined) return type === 'Array' ? children.map((child) => revive(child)) : reviveParts(children);
  if (type === 'undefined') return undefined;
  if (type === 'number') return Number(preview);
  try {
    return JSON.parse(preview) as unknown;
  } catch {
    return preview;
  }
}

/** `user` of `user`, `0` of `[0]`, `a key` of `"a key"`. */
function toKey(name: string): string {
  const inner = /^\[(.*)\]$/u.exec(name)?.[1] ?? name;
  try {
    return String(JSON.parse(inner));
  } catch {
    return inner;
  }
}
