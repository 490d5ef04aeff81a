export { createAgentLog } from './agent-log.ts';
export { createGuard, type Guard } from './guard.ts';
export type { GuardOptions } from './hook-context.ts';
export type { HookAnswer } from './hook-answer.ts';
export { Heartbeat } from './heartbeat/heartbeat.ts';
export { recordInstallation } from './heartbeat/record-installation.ts';
export { diagnoseGuard, type GuardFact } from './install/diagnose-guard.ts';
export { installGuard, type InstallInput } from './install/install-guard.ts';
export type { SettingsPlace } from './install/settings-file.ts';
