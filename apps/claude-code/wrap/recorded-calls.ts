import { headOf } from '@klaus/sdk/cut-text';
import { isAbsolute, join } from 'node:path';
import type { AgentCall, ProgramExchange, ProxyExchange, ProxyRequest } from '@klaus/sdk/wrap';

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

/** Finds what a program and its user said and did in the requests to the model. Each repeats the history. */
export class RecordedCalls {
  readonly #open = new Set<string>();
  readonly #prompts = new Set<string>();
  readonly #workspace: string;

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  /** The prompts that no earlier request contained. */
  findPrompts({ hasTools, prompts }: ProxyRequest): string[] {
    // Requests without tools are for titles and summaries.
    if (!hasTools) return [];
    return prompts.flatMap(({ position, text }) => {
      const key = `${position} ${text}`;
      if (this.#prompts.has(key)) return [];
      this.#prompts.add(key);
      return text;
    });
  }

  toExchange({ hasTools, results, parts }: ProxyExchange): ProgramExchange {
    const ended = results.filter(({ id }) => this.#open.delete(id));
    if (!hasTools) return { results: ended, texts: [], calls: [] };
    const calls = parts.flatMap((part) => (part.type === 'call' ? this.#toCall(part) : []));
    for (const { id } of calls) this.#open.add(id);
    return { results: ended, texts: parts.flatMap((part) => (part.type === 'text' ? part.text : [])), calls };
  }

  #toCall({ id, name, input }: { id: string; name: string; input: unknown }): AgentCall {
    const fields = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
    const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
    const command = toCommand(fields['command'] ?? fields['cmd']);
    const paths = ['file_path', 'filePath', 'path'].flatMap((key) => toPath(fields[key], this.#workspace));
    return {
      ...{ id, kind, paths, input, output: '' },
      title: headOf([name, command ?? paths[0] ?? ''].join(' ').trim(), 200),
      state: 'running',
      command,
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
