export { readChangedFiles } from './evidence/compare-evidence.ts';
export { advance } from './loop/advance.ts';
export { attend, type AttendOptions } from './runner/attend.ts';
export { cost, worstCase } from './budget/cost.ts';
export { countBytes } from './context/count-bytes.ts';
export { NO_CHARGE, PartialAnswer, type Charge } from './budget/partial-answer.ts';
export { toSupported, type SupportedSampling } from './model/sampling.ts';
export { toChangeParts, toDiffText } from './workspace/change-parts.ts';
export type { Engine } from './loop/engine.ts';
export { checkPublication } from './carried/check-publication.ts';
export { createPathFinder } from './folders/find-path.ts';
export { explainCall } from './calls/explain-call.ts';
export { splitState } from './folders/join-snapshots.ts';
export { EMPTY_STATE } from './git/git-text.ts';
export { fork, type Forked } from './loop/fork.ts';
export { fold } from './state/fold.ts';
export { isParked, isReceivable } from './loop/receivable.ts';
export type { ChildPlan, ChildReport, ChildRequest, ChildUse, Children, OpenChild } from './ports/children.ts';
export {
  type Ledger,
  BOOKED_EVENTS,
  book,
  accountOf,
  spentOf,
  takenOf,
  leftOf,
  openRequestsOf,
} from './budget/ledger.ts';
export { openSecretsOf } from './folders/open-secrets.ts';
export { openChildrenOf } from './state/state.ts';
export { loadState, readLog } from './state/load-state.ts';
export { FOLD_VERSION } from './state/fold-version.ts';
export { createMemory } from './context/memory.ts';
export { PRESENT_PLAN } from './context/plan-mode.ts';
export type { ContextInfo, LimitUse } from './ports/context-info.ts';
export type { Diagnostics, DiagnosticsOptions, EditedFile, FoundProblems, Problem } from './diagnostics/diagnostics.ts';
export type { Formatted, FormatEnd, Formatter, FormatterOptions, ToolFormatter } from './formatting/formatter.ts';
export { describeFailure, FORMAT_FILES } from './formatting/session-formatter.ts';
export { chooseHooks, type ChosenHook, type HookHost, type HookPost } from './hooks/hooks.ts';
export { readHookAnswer, type HookAnswer, type HookEnd } from './hooks/hook-answer.ts';
export {
  USE_SKILL,
  type BrokenSkill,
  type Skill,
  type SkillFiles,
  type SkillList,
  type Skills,
} from './skills/skills.ts';
export { expandSkill, MAX_SKILL_BYTES, splitFrontMatter } from './skills/skill-text.ts';
export type {
  RunAttempt,
  RunOutcome,
  RunScheduler,
  RunSession,
  RunStatus,
  RunWorker,
  WakeReason,
} from './ports/run-scheduler.ts';
export type { Clock } from './ports/clock.ts';
export type {
  CommittedQuery,
  ContentEntry,
  ContentQuery,
  IndexContents,
  FindCommitted,
  JudgeContents,
  JudgedContents,
  PathState,
} from './ports/committed-files.ts';
export type { Ids } from './ports/ids.ts';
export type { Layer, Layers } from './ports/layer.ts';
export {
  type KnowledgeScope,
  KNOWLEDGE_LIMITS,
  type KnowledgeEntry,
  type KnowledgeDraft,
  type Knowledge,
  type KnowledgeFilter,
} from './ports/memory.ts';
export type {
  ToolSpec,
  ModelRequest,
  FailureDetails,
  ModelFailure,
  Refusal,
  ModelEvent,
  Price,
  ModelInfo,
  ModelSearch,
  WebSource,
  StreamOptions,
  Model,
  Models,
} from './ports/model.ts';
export type { RecalledText, RecallSearch, Recall } from './ports/recall.ts';
export type { ReserveProcess, ProcessStatus, ProcessOutput, WaitFor, Processes } from './ports/processes.ts';
export type {
  BackgroundRequest,
  ExecLimits,
  CommandShell,
  ExecRequest,
  ExecResult,
  PrestartRequest,
  Relay,
  Sandbox,
} from './ports/sandbox.ts';
export type { FileIdentity, SecretSource } from './ports/secrets.ts';
export type {
  ApplyGitOptions,
  ApplyOptions,
  ApplyResult,
  Conflict,
  IndexChange,
  IndexDifference,
  IndexEntry,
  SnapshotOptions,
  ToolFolder,
  Snapshots,
} from './ports/snapshots.ts';
export type { AppendOptions, Lease, Draft, StateCache, BlobWriter, Store } from './ports/store.ts';
export type { ApprovalFilter, ApprovalRow, RememberedRow } from './ports/rows/approval-row.ts';
export type { AuditOptions, AuditReport, ChainReport, DecisionFilter, DecisionRow, HostFilter } from './ports/audit.ts';
export type { Delivery, Outbox, OutboxDelivery } from './ports/outbox.ts';
export type {
  AttentionFilter,
  AttentionItem,
  AttentionKind,
  AttentionList,
  ClearFilter,
  ClearReport,
  MessageHit,
  SessionFilter,
  SessionRow,
  SessionSeen,
} from './ports/rows/session-row.ts';
export type { ChangeMark, SessionStore, ViewedStore, StoreQueries, StoreView } from './ports/store-queries.ts';
export type { Charged, StoreStats, UsageFilter, UsageRow } from './ports/rows/usage-row.ts';
export type { DeployOptions } from './ports/tools/deploy-options.ts';
export type { UserGit } from './ports/tools/user-git.ts';
export type { LastShown } from './ports/tools/last-shown.ts';
export {
  type Intent,
  type ToolOutput,
  type FoundSecret,
  type LiveText,
  type FoundPath,
  type ToolContext,
  type Tool,
  defineTool,
} from './ports/tool.ts';
export { type SessionTools, type SessionToolsHost, isSessionTool } from './ports/session-tools.ts';
export type {
  ResolvedPath,
  FileState,
  OtherNames,
  FileEdit,
  ReadOptions,
  LocatedPath,
  Folder,
  Workspace,
} from './ports/workspace.ts';
export { readHostFacts } from './host/host-facts.ts';
export type { EditorBuffers } from './ports/editor-buffers.ts';
export type { HostFile, HostFiles } from './host/host-files.ts';
export type { NetworkProxy, WebClient, WebRequest, WebResponse, WebSearchSettings } from './ports/web-client.ts';
export { carriesText, redactCommand } from './redaction/redact-command.ts';
export type { Replayed, ReplayOptions } from './replay/replay.ts';
export type { ReplayedRequest } from './replay/recorded-model.ts';
export type { ReplayDifference } from './replay/recording.ts';
export { MAX_VERDICT_TOKENS, toVerdictAnswer, toVerdictTool } from './review/judge-request.ts';
export { SINCE_BEGIN } from './context/outside-notice.ts';
export { findPinProblem, toPinText } from './context/pins.ts';
export { applyQueuedCommands } from './loop/apply-queued-commands.ts';
export { describeStarted } from './processes/process-events.ts';
export { recordProcesses } from './processes/record-processes.ts';
export type { EngineSettings } from './loop/settings.ts';
export type { RestoreRequest } from './workspace/plan-restore.ts';
export type { NotRestored } from './workspace/leave-tool-folders.ts';
export { restore, type Restored, type RestoreOptions } from './workspace/restore.ts';
export { changesOfQuestion } from './workspace/question-changes.ts';
export { changesOfTurn } from './workspace/turn-changes.ts';
export { createState, toolsOf, type State } from './state/state.ts';
export { toWaitingScopes } from './calls/approval-scope.ts';
export { toRevocableGrant } from './calls/grant-change.ts';
export { toSystemPrompt } from './context/system-prompt.ts';
export { verifyEvidence, type VerifiedEvidence, type VerifyOptions } from './evidence/verify-evidence.ts';
export { createToolRegistry, toInputSchema, type ToolRegistry } from './calls/tool-registry.ts';
export { readTurnHistory, type TurnHistory } from './workspace/turn-history.ts';
export type {
  AgentDescription,
  AgentGrant,
  AgentList,
  AgentSource,
  Agents,
  BrokenAgent,
  FoundAgent,
  SaveAgentOptions,
} from './ports/agents.ts';
export type {
  AgentCall,
  AgentCallKind,
  AgentProcess,
  AgentReports,
  AskAnswer,
  Runner,
  RunnerChild,
  RunnerEnd,
  RunnerEntry,
  RunnerHost,
  RunnerLimit,
  RunnerRequest,
  RunnerSession,
  ToolUse,
  ProgramExchange,
  ProgramRequest,
  Reservation,
  RunnerAttended,
  RunnerTerminal,
} from './ports/runner.ts';
