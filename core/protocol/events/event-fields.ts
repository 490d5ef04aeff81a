import { z } from 'zod';
import { LIMIT_NAMES } from '../settings/limits.ts';

/** Fields of every event within a run. */
export const run = { run: z.string().describe('The run of the event.') };

/** Fields of every event within a turn. */
export const turn = { ...run, turn: z.int().describe('Model turn of the session, from 1.') };

export const usd = z.number().nullable().describe('US dollars; null when the price is not known.');

export const limitName = z.enum(LIMIT_NAMES);
