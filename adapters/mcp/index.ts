export { findVariables, isServerName, toMcpServer, type McpServer } from './server-config.ts';
export { createSessionTools, type SessionServer } from './session-tools.ts';
