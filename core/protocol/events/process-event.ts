import { z } from 'zod';

const processStateSchema = z.enum(['started', 'exited', 'stopped', 'lost']);

export const processChanged = z
  .object({
    type: z.literal('process.changed'),
    run: z.string().optional().describe('The active run.'),
    process: z.string().describe('Name of the process in the session: `p1`, `p2` and so on.'),
    state: processStateSchema.describe(
      '`exited`: it ended itself. `stopped`: a user or Klaus stopped it. `lost`: it is not known how it ended.',
    ),
    command: z.string(),
    survives: z.boolean().describe('True: it continues when the Klaus process that started it ends.'),
    call: z.string().optional().describe('The call that started or stopped it and reported it to the model.'),
    exitCode: z.int().optional().describe('Exit code; 128 plus the number of a signal that ended it.'),
    reason: z.string().optional().describe('Why it ended. Absent: it ended itself.'),
  })
  .describe('A background process of the session started or ended. Its output is stored in its own files.');
