import { isRecord } from '@klaus/core/protocol';
import type { JsonObject } from './json-object.ts';
import { keepValid } from './keep-valid.ts';

/** What is wrong with a tool of a server. */
export interface ToolProblem {
  /** Its name, or its place in the list. */
  tool: string;
  /** A sentence without its subject and its end, such as `has no input schema`. */
  problem: string;
  /** True if the tool cannot be used. */
  isLost: boolean;
}

export interface RepairOptions {
  /** The version of the protocol allows every type in an output schema. */
  allowsEveryOutput: boolean;
  readonly report: (problem: ToolProblem) => void;
}

/** The entries of a list of tools that can be used. One that breaks the protocol does not affect the others. */
export function repairTools(given: unknown, options: RepairOptions): JsonObject[] {
  if (!Array.isArray(given)) {
    options.report({ tool: 'tools', problem: 'is no list', isLost: true });
    return [];
  }
  return given.flatMap((entry: unknown, at) => repairTool(entry, `number ${at + 1}`, options));
}

/** The tool, or nothing. */
function repairTool(entry: unknown, place: string, { allowsEveryOutput, report }: RepairOptions): JsonObject[] {
  const lose = (tool: string, problem: string): [] => {
    report({ tool, problem, isLost: true });
    return [];
  };
  if (!isRecord(entry)) return lose(place, 'is no object');
  const { name, inputSchema, outputSchema, ...rest } = entry;
  if (typeof name !== 'string' || name === '') return lose(place, 'has no name');
  const note = (problem: string): void => report({ tool: name, problem, isLost: false });
  const input = repairInputSchema(inputSchema, note);
  if (typeof input === 'string') return lose(name, input);
  const hasOutput = isRecord(outputSchema) && (allowsEveryOutput || outputSchema['type'] === 'object');
  if (outputSchema !== undefined && outputSchema !== null && !hasOutput)
    note('has an output schema that does not describe an object, which is ignored');
  const kept = keepValid(
    'Tool',
    { ...rest, name, inputSchema: input, ...(hasOutput ? { outputSchema } : {}) },
    { inside: 'inputSchema' },
  );
  if (!kept) return lose(name, 'does not have the shape of the protocol');
  if (kept.removed.length > 0) note(`has fields of another shape, which are ignored: ${kept.removed.join(', ')}`);
  return [kept.value];
}

/** The schema, or why there is none. */
function repairInputSchema(given: unknown, note: (problem: string) => void): JsonObject | string {
  if (given === undefined || given === null) {
    note('has no input schema, so that every input is passed');
    return { type: 'object' };
  }
  if (!isRecord(given)) return 'has an input schema that is no object';
  const { type } = given;
  if (type === 'object') return given;
  const isOpen = type === undefined || type === null || (Array.isArray(type) && type.includes('object'));
  if (!isOpen) return 'has an input schema that does not describe an object';
  note('has an input schema without the type `object`, which is assumed');
  return { ...given, type: 'object' };
}
