export { driveSession } from './drive-session.ts';
export type * from './driven-session.ts';
export type * from './attention-client.ts';
export type * from './chat-client.ts';
export type * from './interactive-client.ts';
export type * from './session-client.ts';
export type * from './session-summary.ts';
export type { QueuedMessage } from '../sessions/queued-messages.ts';
export type { CopiesClient } from '../copies/working-copy.ts';
