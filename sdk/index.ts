export { defineTool } from '@klaus/core/agent';
export type { Intent, Tool, ToolContext, ToolOutput } from '@klaus/core/agent';
export * from '@klaus/core/protocol';
export { createKlaus } from './create-klaus.ts';
export type { Advance, Klaus, KlausOptions, OpenOptions, Session } from './klaus.ts';
