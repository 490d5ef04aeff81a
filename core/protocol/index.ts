export { agentConfigSchema, agentHeadSchema, type AgentDefinition, type AgentHead } from './agents/agent-definition.ts';
export {
  agentNameSchema,
  agentReferenceSchema,
  fromProjectAgent,
  RESERVED_AGENT_NAMES,
  toProjectAgent,
} from './agents/agent-name.ts';
export { isServiceModel, SERVICE_MODELS } from './service-models.ts';
export { reviewSchema, type Review } from './authority/review.ts';
export {
  scopeSchema,
  type Scope,
  boundScriptSchema,
  type BoundScript,
  rememberedSchema,
  type Remembered,
  hunkAnswerSchema,
  type HunkAnswer,
} from './authority/approval.ts';
export { NETWORK_PRESET_NAMES, NETWORK_PRESETS, type NetworkPreset } from './authority/network-presets.ts';
export { effectSchema, type Effect, resumeSchema, type Resume, isReadOnly } from './authority/effect.ts';
export {
  grantPathSchema,
  grantHostSchema,
  FILE_RIGHTS,
  type FileRight,
  RIGHT_SETS,
  authoritySchema,
  type Authority,
  type AuthorityKind,
  type AuthorityOf,
  AUTHORITY_KINDS,
  grantSchema,
  type Grant,
  accessSchema,
  type Access,
} from './authority/grant.ts';
export {
  modeSchema,
  type Mode,
  toNarrowerMode,
  CONTAINER_SANDBOXES,
  sandboxNameSchema,
  type SandboxName,
  onAskSchema,
  type OnAsk,
  checkpointSchema,
  type Checkpoint,
} from './authority/mode.ts';
export {
  verdictSchema,
  type Verdict,
  findingSchema,
  type Finding,
  decisionSchema,
  type Decision,
} from './authority/verdict.ts';
export { fileChangeSchema, type FileChange } from './changes/change.ts';
export { hunkKindSchema, hunkSchema, type Hunk, isEditable, isHidden } from './changes/hunk.ts';
export {
  treeIdSchema,
  type TreeId,
  treeEntrySchema,
  type TreeEntry,
  treeChangeSchema,
  type TreeChange,
} from './changes/tree-change.ts';
export { commandSchema, type Command } from './command.ts';
export { approvalAsked, approvalAnswered, diffOf, grantChanged, hunksOf } from './events/approval-event.ts';
export type { Edge, Escalation } from './events/child-event.ts';
export { ERASED_FIELDS, isDisturbance, sortCanonically, toCanonical } from './events/canonical.ts';
export { contentRefused } from './events/refusal-event.ts';
export { messageAdded, contextCompacted } from './events/context-event.ts';
export {
  EVENT_VERSION,
  FIRST_PREV,
  notice,
  eventBodySchema,
  envelopeSchema,
  eventSchema,
  type EventBody,
  type EventType,
  type Envelope,
  type Event,
  type EventOf,
} from './events/event.ts';
export {
  checkKindSchema,
  type CheckKind,
  checkSchema,
  type Check,
  checkEnvironmentSchema,
  type CheckEnvironment,
  receiptSchema,
  type Receipt,
  freshnessSchema,
  type Freshness,
  evidenceSchema,
  type Evidence,
  claimStatusSchema,
  type ClaimStatus,
  claimSchema,
  type Claim,
} from './events/evidence.ts';
export {
  HOST_EVENT_VERSION,
  sessionAnchored,
  sessionDeleted,
  sessionExported,
  sessionImported,
  sessionMoved,
  approvalSettled,
  approvalForgotten,
  grantReplaced,
  sessionReset,
  workspacePutBack,
  configurationChangeSchema,
  type ConfigurationChange,
  policySourceSchema,
  type PolicySource,
  configurationChanged,
  databaseRecovered,
  hostEventBodySchema,
  hostEnvelopeSchema,
  hostEventSchema,
  type HostEventBody,
  type HostEventType,
  type HostEvent,
  type HostEventOf,
} from './events/host-event.ts';
export { findOwnWork, toOwnCall, type OwnWork } from './events/own-call.ts';
export { isCallOutput, isReplaced, joinLive, liveSchema, toLiveKey, type Live, type LivePiece } from './events/live.ts';
export { fallbackSchema } from './settings/model-name.ts';
export {
  reservedSchema,
  type Reserved,
  learnedSizesSchema,
  type LearnedSizes,
  turnStarted,
  modelRequested,
  modelAttempted,
  turnFinished,
} from './events/model-event.ts';
export { otherChangeSchema, type OtherChange } from './events/workspace-event.ts';
export { runStarted, outcomeSchema, type Outcome, runFinished, usageCounted } from './events/run-event.ts';
export {
  stopReasonSchema,
  type StopReason,
  modelFailureCodeSchema,
  type ModelFailureCode,
  modelFailureCauseSchema,
  type ModelFailureCause,
  isRetryable,
  isOutage,
} from './events/stop-reason.ts';
export { gateDecided, toolStarted, toolFinished } from './events/tool-event.ts';
export { usageSchema, type Usage, NO_USAGE, addUsage, toCountedTokens, isCharged } from './events/usage.ts';
export {
  ERROR_MEANINGS,
  type ErrorCode,
  ERROR_CODES,
  type KlausErrorOptions,
  KlausError,
  isKlausError,
  unlessFailed,
  toKlausError,
} from './klaus-error.ts';
export { blobSchema, type BlobRef } from './messages/blob.ts';
export {
  textPartSchema,
  imagePartSchema,
  filePartSchema,
  thinkingPartSchema,
  callPartSchema,
  resultPartSchema,
  partSchema,
  type TextPart,
  type ImagePart,
  type FilePart,
  type ThinkingPart,
  type CallPart,
  type ResultPart,
  type Part,
  originSchema,
  messageSchema,
  type Message,
  toText,
} from './messages/message.ts';
export { providerStateSchema, type ProviderState } from './messages/provider-state.ts';
export { toBeginning, toContent } from './messages/message-text.ts';
export { expandPrompt, fillPlaceholders, toPlaceholders } from './messages/prompt-template.ts';
export { TOOL_SEARCH, USE_TOOL, toCalled } from './messages/tool-call.ts';
export { todoSchema, type Todo, type TodoList, toTodoList } from './messages/todo.ts';
export {
  untrustedTextSchema,
  toolResultSchema,
  type ToolResult,
  type ShownFile,
  type Untrusted,
  type UntrustedText,
} from './messages/tool-result.ts';
export { cutText, headOf, splitText, tailOf } from './text/cut-text.ts';
export { showName } from './text/show-name.ts';
export { repairJson, toWellFormed, toWellFormedJson } from './text/well-formed-json.ts';
export { isRecord } from './is-record.ts';
export { messageOf } from './message-of.ts';
export { toNearest } from './nearest.ts';
export { optional } from './optional.ts';
export {
  describeUnknownField,
  findUnknownFields,
  type UnknownField,
  type UnknownFieldOptions,
} from './unknown-fields.ts';
export { renderHunk } from './changes/render-hunk.ts';
export { toChangedLine, toRejected } from './changes/hunk-answer.ts';
export {
  limitsSchema,
  NO_LIMITS,
  type Limits,
  type LimitName,
  type RecordedLimits,
  LIMIT_NAMES,
} from './settings/limits.ts';
export {
  describeAmount,
  describeLimits,
  describeOffer,
  describeUse,
  describeUsed,
  formatAmount,
  toMore,
  type LimitUsed,
} from './settings/limit-text.ts';
export {
  effortSchema,
  type Effort,
  effortLevelSchema,
  type EffortLevel,
  temperatureSchema,
  type Sampling,
} from './settings/sampling.ts';
export {
  HOOK_EVENTS,
  type Hook,
  type HookEventName,
  type HookGroup,
  type HookGroups,
} from './settings/hook-settings.ts';
export type { SearchService } from './settings/web-settings.ts';
export { TERRAFORM_PROGRAMS, type TerraformProgram } from './settings/deploy-settings.ts';
export { SERVER_FAMILIES, type ModelDialect, type ServerFamily } from './settings/models/model-dialect.ts';
export {
  modelServerNameSchema,
  modelServerSchema,
  type ModelFacts,
  type ModelServerSettings,
} from './settings/models/model-server-settings.ts';
export type { Narrowing } from './settings/narrowing.ts';
export { policyFileRuleSchema, policyFileSchema, type PolicyFile } from './settings/policy-file.ts';
export { ROLES, type Role, SIGN_IN_KINDS, type SignInKind } from './settings/sign-in-settings.ts';
export {
  type ProjectRule,
  type Setting,
  type SettingInput,
  defineSetting,
  fromText,
  toAllowed,
  toInput,
} from './settings/setting.ts';
export {
  SETTINGS,
  type SettingKey,
  type SettingValue,
  type SettingValues,
  type SettingsInput,
  SETTING_KEYS,
  isSettingKey,
  toConfigSchema,
} from './settings/settings.ts';
export { type Ulid, toUlid, isUlid, readUlidTime } from './ulid.ts';
export {
  isRunnerModel,
  runnerNameSchema,
  settingSourceSchema,
  sessionRunnerSchema,
  type RunnerName,
  type SessionRunner,
} from './events/runner-event.ts';
export {
  findInputProblem,
  inputContentSchema,
  inputQuestionSchema,
  findValueProblem,
  toInputDefaults,
  toInputValue,
  type InputAnswer,
  type InputContent,
  type InputField,
  type InputQuestion,
  type InputValue,
} from './questions/input-field.ts';
export type { SessionMcpServer } from './events/session-event.ts';
export {
  mcpPromptCommandSchema,
  mcpPromptSchema,
  toPromptArguments,
  toPromptMessage,
  type McpPrompt,
  type McpPromptCommand,
} from './messages/mcp-prompt.ts';
export { resolveMcpServers, type McpResolution, type McpServers } from './agents/mcp-resolution.ts';
export { quoteShellWord, singleQuote } from './quote-shell-word.ts';
export { SHARED_COMMANDS, type SharedCommand } from './slash-commands.ts';
