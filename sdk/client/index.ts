export type * from './chat-client.ts';
export type * from './session-client.ts';
export type * from './session-summary.ts';
