import type { z } from 'zod';
import type { Part } from '../../protocol/index.ts';
import type { ToolSpec } from '../ports/model.ts';

/** Tokens of a verdict, with the reasoning of models that always reason. */
export const MAX_VERDICT_TOKENS = 4_096;

const NAME = 'give_verdict';

/** The tool with which a model answers a reviewer. @param schema Of the answer. */
export function toVerdictTool(schema: z.ZodType): ToolSpec {
  return {
    name: NAME,
    description: 'Gives the verdict. Use this tool once, in place of a text.',
    inputSchema: schema.toJSONSchema() as Record<string, unknown>,
    effects: ['read'],
  };
}

/** The JSON of an answer, also in a code block; its text if it is none. Not checked. */
export function toVerdictAnswer(parts: readonly Part[]): unknown {
  const call = parts.find((part) => part.type === 'call' && part.name === NAME);
  if (call?.type === 'call') return call.input;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const body = /^\s*```(?:json)?\n([^]*?)\n```\s*$/.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(body);
  } catch {
    return text;
  }
}
