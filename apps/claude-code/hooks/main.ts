export { createAgentLog } from './agent-log.ts';
export { createGuard, type Guard, type GuardOptions } from './guard.ts';
export type { HookAnswer } from './hook-answer.ts';
export { diagnoseGuard, type GuardFact } from './install/diagnose-guard.ts';
export { installGuard, type InstallInput } from './install/install-guard.ts';
export type { SettingsPlace } from './install/settings-file.ts';
