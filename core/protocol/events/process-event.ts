import { z } from 'zod';

const processStateSchema = z.enum(['started', 'exited', 'stopped', 'lost']);

export const processChanged = z
  .object({
    type: z.literal('process.changed'),
    run: z.string().optional().describe('The run under way.'),
    process: z.string().describe('Its name in the session: `p1`, `p2` and so on.'),
    state: processStateSchema.describe(
      '`exited` by itself, `stopped` by somebody or something of Klaus, `lost`: nobody can say how it ended.',
    ),
    command: z.string(),
    survives: z.boolean().describe('True: it goes on when the Klaus that started it ends.'),
    call: z.string().optional().describe('The call that started or stopped it; its result told the model.'),
    exitCode: z.int().optional().describe('128 plus the number of a signal that ended it.'),
    reason: z.string().optional().describe('Why it ended, where it did not exit by itself.'),
  })
  .describe('A background process of the session began or ended. What it wrote stands in files of its own.');
