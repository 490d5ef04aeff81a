import { z } from 'zod';

/** The header with the name of the client. */
export const CLIENT_HEADER = 'x-klaus-client';

/** Clients that send it: `klaus … --server`, and the page. */
export const clientNameSchema = z.enum(['cli', 'page']);
export type ClientName = z.infer<typeof clientNameSchema>;
