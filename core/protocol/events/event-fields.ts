import { z } from 'zod';

/** What every event within a run says. */
export const run = { run: z.string().describe('The run this belongs to.') };

/** What every event within a turn says. */
export const turn = { ...run, turn: z.int().describe('Model turn of the session, from 1.') };
