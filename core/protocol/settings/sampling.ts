import { z } from 'zod';

/** How much a model reasons. `max` is the highest level that the model has. */
export const effortSchema = z.enum(['low', 'medium', 'high', 'max']);
export type Effort = z.infer<typeof effortSchema>;

/** Levels of the models. They begin with the lowest. */
export const effortLevelSchema = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);
export type EffortLevel = z.infer<typeof effortLevelSchema>;

export const temperatureSchema = z.number().min(0).max(2);

/** How a model answers, chosen for a session. An absent field is left to the model. */
export interface Sampling {
  temperature?: number;
  effort?: Effort;
}
