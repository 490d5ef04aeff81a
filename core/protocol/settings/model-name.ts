import { z } from 'zod';

export const modelName = z.string().regex(/^[\w./:@+~-]+$/);

/** Models that answer, in this order, while the one of a session cannot. */
export const fallbackSchema = z.array(modelName).max(3);
