import { createClient } from '@klaus/server/client';
import { basePath } from './base-path.ts';

/** The client of the server that serves this page. A cookie authenticates it. */
export const client = createClient({ as: 'page', baseUrl: basePath });
