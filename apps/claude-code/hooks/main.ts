export { createGuard, type Guard, type GuardOptions } from './guard.ts';
export type { HookAnswer } from './hook-answer.ts';
