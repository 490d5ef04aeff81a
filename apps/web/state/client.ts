import { createClient } from '@klaus/server/client';

/** The server that this page came from. It is known by its cookie. */
export const client = createClient({ as: 'page' });
