import { config } from 'zod';

// The content policy forbids to compile text: without this setting zod tries it, and the browser reports a violation.
config({ jitless: true });
