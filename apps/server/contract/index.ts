export { BUILT_IN_AGENT, type AgentDetail, type AgentView } from './agent-routes.ts';
export type { AttentionItemView, AttentionListView } from './attention-routes.ts';
export { CLIENT_HEADER, clientNameSchema, type ClientName } from './client-name.ts';
export { problemCodeSchema, problemSchema, type Problem, type ProblemCode } from './problem.ts';
export { type Answer, type Given, type Method, type Route } from './route.ts';
export { API_VERSION, ROUTES, type RouteName, type RouteOf } from './routes.ts';
export * from './session-view.ts';
export * from './shapes.ts';
export * from './stream.ts';
