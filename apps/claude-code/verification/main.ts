export { installMcp, type InstallOptions, type Installed } from './install/install-mcp.ts';
export { runMcp, type McpOptions } from './server/run-mcp.ts';
