export { distrustFolder, toHostEnvironment, toHostPath } from './host-path.ts';
export { keepFile } from './cache-file.ts';
