import { agentConfigSchema, agentNameSchema, KlausError, optional, type AgentDefinition } from '@klaus/core/protocol';
import { z } from 'zod';

/** An agent as JSON, for other programs. Its fields are those of Agent Builder. */
const exportedSchema = z.strictObject({
  name: agentNameSchema,
  description: z.string().trim().min(1).max(2_000),
  version: z.string().default('1.0'),
  /** ISO 8601. Default: the time of the import. */
  created: z.string().optional(),
  /** ISO 8601; null: never used. */
  last_used: z.string().nullable().default(null),
  capabilities: z.array(z.string()).default([]),
  system_prompt: z.string().default(''),
  config: agentConfigSchema.default({}),
  metadata: z.record(z.string(), z.json()).default({}),
});

export type ExportedAgent = z.infer<typeof exportedSchema>;

/** @param now Unix milliseconds: the creation time of a definition without one. */
export function toExportedAgent(definition: AgentDefinition, now: number): ExportedAgent {
  return {
    name: definition.name,
    description: definition.description,
    version: definition.version ?? '1.0',
    created: definition.created ?? new Date(now).toISOString(),
    last_used: definition.last_used ?? null,
    capabilities: definition.capabilities ?? [],
    system_prompt: definition.systemPrompt,
    config: definition.config ?? {},
    metadata: definition.metadata ?? {},
  };
}

/**
 * The definition of an exported agent.
 *
 * @param file For messages.
 * @throws KlausError `config` with file, field and reason.
 */
export function fromExportedAgent(text: string, file: string): AgentDefinition {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new KlausError('config', `${file}: this is not JSON: ${(error as Error).message}`);
  }
  const parsed = exportedSchema.safeParse(value);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw new KlausError('config', `${file}: ${path.join('.') || 'the agent'}: ${message}`, {
      hint: `An exported agent has the fields ${Object.keys(exportedSchema.shape).join(', ')}.`,
    });
  }
  const { system_prompt: systemPrompt, created, ...rest } = parsed.data;
  return { ...rest, ...optional({ created }), systemPrompt };
}
