export { distrustFolder, toHostEnvironment, toHostPath } from './host-path.ts';
