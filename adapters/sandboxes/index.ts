export type { Availability } from './availability.ts';
export { createProcesses } from './background/create-processes.ts';
export type { ProcessHome } from './background/create-processes.ts';
export { canFetchBubblewrap, fetchBubblewrap, toFetchedProgram } from './bubblewrap/fetch-bubblewrap.ts';
export { createSandbox, probeSandboxes } from './create-sandbox.ts';
export type { CreateSandboxOptions } from './create-sandbox.ts';
export { scrubEnvironment } from './host/scrub-environment.ts';
export { DEFAULT_EXEC_LIMITS } from './exec-limits.ts';
export type { SandboxOptions } from './sandbox-options.ts';
