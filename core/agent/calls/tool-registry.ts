import { z } from 'zod';
import { KlausError, toNearest, TOOL_SEARCH, USE_TOOL } from '../../protocol/index.ts';
import type { ToolSpec } from '../ports/model.ts';
import type { Tool } from '../ports/tool.ts';
import { toolSearch, USE_TOOL_SPEC } from './tool-search.ts';

export interface ToolRegistry {
  /** Every tool that a call can name, those of the user included. */
  readonly names: readonly string[];
  /** Tools in the requests of a session that opens now, in this order. */
  readonly offered: readonly string[];
  /** Tools that such a session finds with `tool_search`. */
  readonly deferred: readonly string[];
  /** Adds tools; open sessions find them with `tool_search`. @throws KlausError `usage` for a taken name; adds none. */
  add(tools: readonly Tool[]): void;
  /** @throws KlausError `tool.unknown` with the nearest match. */
  get(name: string): Tool<unknown>;
  find(name: string): Tool<unknown> | undefined;
  /** The tools as a model sees them, in the order of `names`; computed once. */
  specs(names: readonly string[]): readonly ToolSpec[];
}

export function toInputSchema({ input }: Pick<Tool<unknown>, 'input'>): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' }) as Record<string, unknown>;
  return schema;
}

/** A tool as a model sees it. */
export function toSpec(tool: Tool<unknown>): ToolSpec {
  const inputSchema = tool.inputSchema ?? toInputSchema(tool);
  return { name: tool.name, description: tool.description, inputSchema, effects: tool.effects };
}

/** @throws KlausError `usage` if two tools have the same name. */
export function createToolRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map<string, Tool<unknown>>();
  const specs = new Map<string, ToolSpec>([[USE_TOOL, USE_TOOL_SPEC]]);
  const lists = new WeakMap<readonly string[], readonly ToolSpec[]>();
  const add = (added: readonly Tool[]): void => {
    const taken = new Set([TOOL_SEARCH, USE_TOOL, ...byName.keys()]);
    for (const { name } of added) {
      if (taken.has(name)) throw new KlausError('usage', `Two tools are called ${name}.`);
      taken.add(name);
    }
    for (const tool of added) byName.set(tool.name, tool);
  };
  add(tools);
  const toNames = (isDeferred: boolean): string[] =>
    [...byName.values()]
      .filter(({ deferred = false, userOnly = false }) => deferred === isDeferred && !userOnly)
      .map(({ name }) => name);
  const find = (name: string): Tool<unknown> | undefined => (name === TOOL_SEARCH ? toolSearch : byName.get(name));
  const unknownTool = (name: string): KlausError => {
    const known = [...byName.values()].filter(({ userOnly = false }) => !userOnly).map((tool) => tool.name);
    const close = toNearest(name, known);
    const hint = close === undefined ? `Tools: ${known.join(', ')}.` : `Did you mean ${close}?`;
    return new KlausError('tool.unknown', `There is no tool ${name}.`, { hint });
  };
  const toSpecs = (name: string): ToolSpec[] => {
    const known = specs.get(name);
    if (known) return [known];
    const tool = find(name);
    if (!tool) return [];
    const spec = toSpec(tool);
    specs.set(name, spec);
    return [spec];
  };
  return {
    get names() {
      return [...byName.keys(), TOOL_SEARCH];
    },
    get offered() {
      // Tools can be added later, so that every session can search for them.
      return [...toNames(false), TOOL_SEARCH, USE_TOOL];
    },
    get deferred() {
      return toNames(true);
    },
    add,
    find,
    get(name) {
      const tool = find(name);
      if (tool) return tool;
      throw unknownTool(name);
    },
    specs(names) {
      let list = lists.get(names);
      if (!list) {
        list = names.flatMap(toSpecs);
        lists.set(names, list);
      }
      return list;
    },
  };
}
