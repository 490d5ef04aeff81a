import { z } from 'zod';

export const modelName = z.string().regex(/^[\w./:@+~-]+$/);
