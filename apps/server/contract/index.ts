export { BUILT_IN_AGENT, type AgentDetail, type AgentView } from './agent-routes.ts';
export type { AlertView, AttentionItemView, AttentionListView } from './attention-routes.ts';
export { CLIENT_HEADER, clientNameSchema, type ClientName } from './client-name.ts';
export type { CommitView, GitTextView, RepositoryView } from './commit-routes.ts';
export type { CopyConflict, CopyView, FileDiff, FileSolution, MergeAnswer } from './copy-routes.ts';
export type { GuardDecisionView, GuardRatesView, GuardStateView } from './guard-routes.ts';
export type { SavedPromptView } from './prompt-routes.ts';
export type { CloneView, FolderView, ProjectView } from './project-routes.ts';
export type { KeyTest, ProviderKeysView } from './settings/key-routes.ts';
export type { McpLoginView, McpReviewView, McpServerView, McpTestView } from './settings/mcp-server-routes.ts';
export type { LocalServerView, ModelServerTest, ModelServerView } from './settings/model-server-routes.ts';
export type { NoteView } from './settings/memory-routes.ts';
export { problemCodeSchema, problemSchema, type Problem, type ProblemCode } from './problem.ts';
export { hasRole, ROLES, type Role } from './role.ts';
export { type Answer, type Given, type Method, type Route } from './route.ts';
export { API_VERSION, ROUTES, type RouteName, type RouteOf } from './routes.ts';
export type { ServerDescriptor } from './server-descriptor.ts';
export type { CheckView, SettingView } from './settings/setting-routes.ts';
export {
  RETURN_TARGET,
  type SignInFailureCode,
  signInFailureCodeSchema,
  type SignInKind,
  type SignInView,
} from './sign-in-routes.ts';
export * from './session-view.ts';
export * from './shapes.ts';
export * from './stream.ts';
