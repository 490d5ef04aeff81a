import { z } from 'zod';
import { KlausError, toNearest } from '../protocol/index.ts';
import type { ToolSpec } from './ports/model.ts';
import type { Tool } from './ports/tool.ts';

/** The tools of an engine, by name. */
export interface ToolRegistry {
  readonly names: readonly string[];
  /** @throws KlausError `tool.unknown` with the nearest match. */
  get(name: string): Tool<unknown>;
  find(name: string): Tool<unknown> | undefined;
  /** The tools as a model sees them, in the order of `names`; computed once. */
  specs(names: readonly string[]): readonly ToolSpec[];
}

/** @throws KlausError `usage` when two tools share a name. */
export function createToolRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map<string, Tool<unknown>>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new KlausError('usage', `Two tools are called ${tool.name}.`);
    byName.set(tool.name, tool);
  }
  const specs = new Map<string, ToolSpec>();
  const lists = new WeakMap<readonly string[], readonly ToolSpec[]>();
  const toSpec = (tool: Tool<unknown>): ToolSpec => {
    let spec = specs.get(tool.name);
    if (!spec) {
      const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' }) as Record<string, unknown>;
      spec = { name: tool.name, description: tool.description, inputSchema, effects: tool.effects };
      specs.set(tool.name, spec);
    }
    return spec;
  };
  return {
    names: [...byName.keys()],
    find: (name) => byName.get(name),
    get(name) {
      const tool = byName.get(name);
      if (tool) return tool;
      const close = toNearest(name, byName.keys());
      const hint = close === undefined ? `Tools: ${[...byName.keys()].join(', ')}.` : `Did you mean ${close}?`;
      throw new KlausError('tool.unknown', `There is no tool ${name}.`, { hint });
    },
    specs(names) {
      let list = lists.get(names);
      if (!list) {
        list = names.flatMap((name) => byName.get(name) ?? []).map(toSpec);
        lists.set(names, list);
      }
      return list;
    },
  };
}
