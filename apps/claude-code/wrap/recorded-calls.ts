import { isAbsolute, join } from 'node:path';
import type { AgentCall, ProxyExchange, RunnerHost } from '@klaus/sdk/wrap';

type Kind = AgentCall['kind'];

/** The kind of a tool by its name. The first match counts. */
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/fetch|browse|web/i, 'fetch'],
  [/bash|shell|exec|command|terminal|stdin/i, 'execute'],
  [/write|edit|patch|replace|notebook/i, 'edit'],
  [/grep|glob|search|find|^ls$|list/i, 'search'],
  [/read|view|cat|open/i, 'read'],
  [/todo|plan|think|task/i, 'think'],
];

/** Records in the log what a program said and did, as its requests to the model show it. */
export class RecordedCalls {
  readonly #open = new Map<string, AgentCall>();
  readonly #host: Pick<RunnerHost, 'text' | 'call'>;
  readonly #workspace: string;

  constructor(host: Pick<RunnerHost, 'text' | 'call'>, workspace: string) {
    this.#host = host;
    this.#workspace = workspace;
  }

  add({ hasTools, results, parts }: ProxyExchange): void {
    for (const { id, output, isError } of results) {
      const call = this.#open.get(id);
      if (!call) continue;
      this.#open.delete(id);
      this.#host.call({ ...call, state: isError ? 'failed' : 'done', output });
    }
    // Requests without tools are for titles and summaries.
    if (!hasTools) return;
    for (const part of parts) {
      if (part.type === 'text') this.#host.text('text', `${part.text}\n`);
      if (part.type !== 'call') continue;
      const call = this.#toCall(part);
      this.#open.set(part.id, call);
      this.#host.call(call);
    }
  }

  #toCall({ id, name, input }: { id: string; name: string; input: unknown }): AgentCall {
    const fields = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
    const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
    const command = toCommand(fields['command'] ?? fields['cmd']);
    const paths = ['file_path', 'filePath', 'path'].flatMap((key) => toPath(fields[key], this.#workspace));
    return {
      ...{ id, kind, paths, input, output: '' },
      title: [name, command ?? paths[0] ?? ''].join(' ').trim().slice(0, 200),
      state: 'running',
      ...(command === undefined ? {} : { command }),
    };
  }
}

function toCommand(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(String).join(' ') : undefined;
}

function toPath(value: unknown, workspace: string): string[] {
  if (typeof value !== 'string' || value === '') return [];
  return [isAbsolute(value) ? value : join(workspace, value)];
}
