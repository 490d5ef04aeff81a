import { z } from 'zod';

/** Header in which a client says what it is. */
export const CLIENT_HEADER = 'x-klaus-client';

/** Clients that say so: `klaus … --server`, and the page. */
export const clientNameSchema = z.enum(['cli', 'page']);
export type ClientName = z.infer<typeof clientNameSchema>;
