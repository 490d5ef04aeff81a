import { z } from 'zod';
import type { ContentBlock, ToolCallUpdate } from '@agentclientprotocol/sdk/unstable';

const content = z.looseObject({ type: z.string() }).transform((block) => block as ContentBlock);
const call = z.looseObject({
  toolCallId: z.string(),
  title: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.enum(['pending', 'in_progress', 'completed', 'failed']).nullish(),
  content: z.array(z.looseObject({ type: z.string() })).nullish(),
  locations: z.array(z.looseObject({ path: z.string() })).nullish(),
});

/** The updates that Klaus records. An agent also sends others, such as its commands and modes. */
const updateSchema = z.object({
  sessionId: z.string(),
  update: z.discriminatedUnion('sessionUpdate', [
    z.object({ sessionUpdate: z.literal('agent_message_chunk'), content }),
    z.object({ sessionUpdate: z.literal('agent_thought_chunk'), content }),
    z.looseObject({ sessionUpdate: z.literal('tool_call'), ...call.shape }),
    z.looseObject({ sessionUpdate: z.literal('tool_call_update'), ...call.shape }),
    z.object({
      sessionUpdate: z.literal('usage_update'),
      cost: z.object({ amount: z.number(), currency: z.string() }).nullish(),
    }),
  ]),
});

export type RecordedUpdate =
  | { sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk'; content: ContentBlock }
  | ({ sessionUpdate: 'tool_call' | 'tool_call_update' } & ToolCallUpdate)
  | { sessionUpdate: 'usage_update'; cost?: { amount: number; currency: string } | null };

/** The update of a notification; undefined for one that is not recorded, or is malformed. Never throws. */
export function toRecordedUpdate(params: unknown): { sessionId: string; update: RecordedUpdate } | undefined {
  const parsed = updateSchema.safeParse(params);
  return parsed.success ? (parsed.data as { sessionId: string; update: RecordedUpdate }) : undefined;
}
