export { defineTool } from '@klaus/core/agent';
export type { Intent, Tool, ToolContext, ToolOutput } from '@klaus/core/agent';
export * from '@klaus/core/protocol';
export { createKlaus } from './create-klaus.ts';
export type { Advance, Klaus, KlausOptions, OpenOptions, Session } from './klaus.ts';
export type { Configuration, SettingRow } from './config/configuration.ts';
export type { ApprovalRow, RecoveryReport, SessionRow, StoreStats } from '@klaus/adapters/store';
export type { RecordedRequest, Script, ScriptedServer } from '@klaus/adapters/models';
// These load what they need when they are called.
export { diagnose, type DiagnoseOptions, type Finding } from './diagnose.ts';
export { startModelServer, type StartedModelServer, type StartModelServerOptions } from './model-server.ts';
export { recoverDatabase } from './recover-database.ts';
