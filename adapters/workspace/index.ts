export { createWorkspace, type WorkspaceOptions } from './local-workspace.ts';
