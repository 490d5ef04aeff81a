import { z } from 'zod';
import { turn } from './event-fields.ts';

export const contentRefused = z
  .object({
    type: z.literal('content.refused'),
    ...turn,
    model: z.string().describe('Full name of the model whose server refused the content.'),
    refusedBy: z.string().optional().describe('The model and its server, as `answeredBy` of a message.'),
    kind: z
      .enum(['image', 'state', 'calls', 'tool', 'message'])
      .describe(
        '`image`: images. `state`: the `providerState` of answers. `calls`: calls and results are sent as text. `tool`: a tool is not offered. `message`: complete messages.',
      ),
    messages: z
      .array(z.string())
      .optional()
      .describe('Ids of the messages that it concerns. Absent: all, also later ones.'),
    tool: z.string().optional().describe('Name of the tool.'),
    isTrial: z
      .literal(true)
      .optional()
      .describe('Present when the cause is not known: it ends if the next request is refused too.'),
  })
  .describe(
    'A server refused a request. What it does not accept is left out of later requests to this model, with a note in its place. The log and the history keep it.',
  );
