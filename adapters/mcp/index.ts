export { inspectServer, type InspectedServer } from './inspect-server.ts';
export { hasTokens, logInToServer, type LoginOptions, type LoginStore } from './oauth.ts';
export { isServerName, findVariables, toMcpServer } from './server-config.ts';
export { findChanged, toPinDiff, type PinnedTools, type PinStore } from './tool-pins.ts';
export { createSessionTools, type SessionServer } from './session-tools.ts';
