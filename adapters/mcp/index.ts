export { inspectServer, type InspectedServer } from './inspect-server.ts';
export { logInToServer, type LoginStore } from './oauth.ts';
export { isServerName, findVariables, toMcpServer } from './server-config.ts';
export { createSessionTools, type SessionServer } from './session-tools.ts';
