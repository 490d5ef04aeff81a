export { openRunner, toRunnerLimits } from './open-runner.ts';
export { toProgramBinds } from '@klaus/adapters/system';
export { WRAP_LIMITS } from './wrap-limits.ts';
