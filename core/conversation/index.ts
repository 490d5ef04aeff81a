export * from './child-view.ts';
export * from './conversation.ts';
export * from './entry.ts';
export { foldConversation } from './fold-conversation.ts';
export * from './in-flight-text.ts';
export * from './limit-use.ts';
export * from './parts.ts';
