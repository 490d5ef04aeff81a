export { openRunner, toRunnerLimits } from './open-runner.ts';
