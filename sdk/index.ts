export { defineTool } from '@klaus/core/agent';
export type {
  Conflict,
  Intent,
  Knowledge,
  KnowledgeEntry,
  Replayed,
  ReplayDifference,
  ReplayedRequest,
  Recall,
  RecalledText,
  ProcessOutput,
  ProcessStatus,
  RestoreOptions,
  RestoreRequest,
  Restored,
  Tool,
  ToolContext,
  ToolOutput,
  VerifiedEvidence,
  VerifyOptions,
} from '@klaus/core/agent';
export { toNewText } from '@klaus/core/policy';
export * from '@klaus/core/protocol';
export { createKlaus } from './create-klaus.ts';
export type {
  ExportedTest,
  Fork,
  ForkGiven,
  Advance,
  AnswerOptions,
  JudgedCommand,
  Klaus,
  KlausOptions,
  OpenOptions,
  PromptOptions,
  Session,
  TurnChanges,
} from './klaus.ts';
export type { SandboxStart } from './engine/observe-sandbox.ts';
export type { PinnedText, PinResult } from './sessions/session-pins.ts';
export type { BackgroundProcess } from './sessions/processes.ts';
export type { GivenCall } from './grants/call-text.ts';
export type { ExplainedAccess, Explanation, ExplainOptions } from './grants/explanation.ts';
export type { GivenGrant } from './grants/opening-grant.ts';
export type { GrantRecord, Revoked, RevokeOptions } from './grants/session-grants.ts';
export type { Configuration, SettingRow } from './config/configuration.ts';
export { toHostEnvironment } from '@klaus/adapters/system';
export type { ApprovalRow, RecoveryReport, SessionRow, StoreStats } from '@klaus/adapters/store';
export type { AuditReport, ChainReport, DecisionFilter, DecisionRow, HostFilter } from '@klaus/adapters/store';
export type { Policy, PolicyEntry } from '@klaus/core/policy';
export type { RecordedRequest, Script, ScriptedServer } from '@klaus/adapters/models';
export type { ChangeMark, Delivery, MessageHit, OutboxDelivery, SessionFilter } from '@klaus/adapters/store';
export type { Charged, UsageRow } from '@klaus/adapters/store';
export type { KnownModel } from './models/known-models.ts';
export type { FileView, FolderEntry, WorkspaceFiles } from './workspace/workspace-files.ts';
export type { BudgetRow, ReservedRequest, UsageReport } from './sessions/usage.ts';
// These load what they need when they are called.
export { diagnose, type DiagnoseOptions } from './diagnose/diagnose.ts';
export { fetchSandbox } from './diagnose/fetch-sandbox.ts';
export {
  fetchDependencies,
  listFetchHosts,
  planFetchOf,
  type Fetched,
  type FetchedStep,
  type FetchOptions,
} from './workspace/fetch-dependencies.ts';
export type { FetchStep } from '@klaus/core/policy';
export type { Finding } from './diagnose/finding.ts';
export type { LatestWith } from './sessions/latest-session.ts';
export { startModelServer, type StartedModelServer, type StartModelServerOptions } from './models/model-server.ts';
export { queryDatabase, recoverDatabase } from './recover-database.ts';
export { allowSecret, scanSecrets } from './workspace/secrets.ts';
