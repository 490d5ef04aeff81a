import type { DebugRecord, ValueNode } from '../contract/index.ts';
import { createRedactor } from '../redact/create-redactor.ts';
import { toPlain } from './to-plain.ts';
import { serveSubject, type DebugServer, type DebugServerOptions } from './debug-server.ts';
import type { Subject } from './subject.ts';

/** What of the options of a server is left when a record is served. */
export type RecordServerOptions = Pick<
  DebugServerOptions,
  'evalTimeoutMs' | 'maxEvals' | 'onReport' | 'implement' | 'redact'
>;

/**
 * Serves a record like a live error: frames, variables and context are those of the record. Evaluated code sees them
 * as plain data; what the record left out is missing.
 */
export function serveRecord(record: DebugRecord, options: RecordServerOptions = {}): Promise<DebugServer> {
  const redactor = createRedactor({ redact: options.redact, env: {} });
  return serveSubject(fromRecord(record), { ...options, access: 'read', redactor, printed: record.console });
}

/** A record as what the tools look at. */
function fromRecord({ frames, context, error, fingerprint }: DebugRecord): Subject {
  const values = Object.fromEntries(context.map(({ name, value }) => [name, toPlain(value)]));
  if (!('error' in values)) values['error'] = toError(error);
  return {
    frames: frames.map(({ locals: _, ...frame }) => frame),
    context: context.map(({ value: _, ...entry }) => entry),
    error,
    fingerprint,
    values,
    locals(index) {
      const nodes = frames[index]?.locals;
      if (!nodes) return undefined;
      return Object.fromEntries(nodes.map((node) => [node.name, toPlain(node)]));
    },
    tree(index, { path, depth }) {
      const nodes = frames[index]?.locals ?? [];
      const found = path === undefined ? nodes : findNode(nodes, path);
      return found.map((node) => cut(node, depth));
    },
  };
}

function toError({ name, message, stack, code, cause }: DebugRecord['error']): Error {
  const error = new Error(message, cause ? { cause: toError(cause) } : undefined);
  Object.defineProperty(error, 'name', { value: name });
  Object.defineProperty(error, 'stack', { value: stack ?? `${name}: ${message}` });
  if (code !== undefined) Object.assign(error, { code });
  return error;
}

function findNode(nodes: readonly ValueNode[], path: string): ValueNode[] {
  for (const node of nodes) {
    if (node.path === path) return [node];
    const found = findNode(node.children ?? [], path);
    if (found.length > 0) return found;
  }
  return [];
}

function cut(node: ValueNode, depth: number): ValueNode {
  if (!node.children) return node;
  const { children, ...rest } = node;
  return depth > 0 ? { ...rest, children: children.map((child) => cut(child, depth - 1)) } : rest;
}
