export { openRunner, toRunnerLimits } from './open-runner.ts';
export { toProgramBinds } from './program-binds.ts';
export { WRAP_LIMITS } from './wrap-limits.ts';
