export { advance, type Advanced } from './loop/advance.ts';
export { cost, priceFor, worstCase } from './budget/cost.ts';
export { toChangeParts, toDiffText } from './workspace/change-parts.ts';
export type { CheckpointResult, Engine, SecretOptions } from './loop/engine.ts';
export { createPathFinder } from './folders/find-path.ts';
export { explainCall, type ExplainedDecision } from './calls/explain-call.ts';
export { splitState } from './folders/join-snapshots.ts';
export { openSnapshotsOf } from './loop/work.ts';
export { fork, type Forked, type ForkOptions } from './loop/fork.ts';
export { fold } from './loop/fold.ts';
export { isParked, isReceivable } from './loop/inbox.ts';
export * from './budget/ledger.ts';
export { openSecretsOf } from './loop/work.ts';
export { loadState, readLog } from './loop/load-state.ts';
export { FOLD_VERSION } from './loop/fold-version.ts';
export { createMemory } from './context/memory.ts';
export { cutOutput } from './calls/output.ts';
export * from './ports/clock.ts';
export * from './ports/committed-files.ts';
export * from './ports/ids.ts';
export * from './ports/layer.ts';
export * from './ports/memory.ts';
export * from './ports/model.ts';
export * from './ports/recall.ts';
export * from './ports/processes.ts';
export * from './ports/sandbox.ts';
export * from './ports/secrets.ts';
export * from './ports/snapshots.ts';
export * from './ports/store.ts';
export type { ApprovalFilter, ApprovalRow, RememberedRow } from './ports/approval-row.ts';
export type { AuditOptions, AuditReport, ChainReport, DecisionFilter, DecisionRow, HostFilter } from './ports/audit.ts';
export type { Delivery, Outbox, OutboxDelivery } from './ports/outbox.ts';
export type { ClearFilter, ClearReport, MessageHit, SessionFilter, SessionRow } from './ports/session-row.ts';
export type { ChangeMark, SessionStore, StoreQueries, StoreView } from './ports/store-queries.ts';
export type { Charged, StoreStats, UsageFilter, UsageRow } from './ports/usage-row.ts';
export * from './ports/tool.ts';
export * from './ports/workspace.ts';
export { carriesText, redactCommand } from './redaction/redact-command.ts';
export { replay, type Replayed, type ReplayOptions } from './replay/replay.ts';
export type { ReplayedRequest } from './replay/recorded-model.ts';
export type { ReplayDifference } from './replay/recording.ts';
export { SINCE_BEGIN } from './context/outside-notice.ts';
export { findPinProblem, toPinText } from './context/pins.ts';
export { serveCommands } from './loop/serve-commands.ts';
export { describeStarted, hasProcessNews } from './calls/processes.ts';
export { serveProcesses } from './calls/serve-processes.ts';
export type { EngineSettings, RetrySettings } from './loop/settings.ts';
export {
  changesOfTurn,
  restore,
  type Restored,
  type RestoreOptions,
  type RestoreRequest,
} from './workspace/restore.ts';
export { createState, toolsOf, type State } from './loop/state.ts';
export { toSystemPrompt } from './context/system-prompt.ts';
export { verifyEvidence, type VerifiedEvidence, type VerifyOptions } from './evidence/verify-evidence.ts';
export { createToolRegistry, toInputSchema, type ToolRegistry } from './calls/tool-registry.ts';
export { readTurnHistory, type TurnHistory, type TurnStates } from './workspace/turn-history.ts';
