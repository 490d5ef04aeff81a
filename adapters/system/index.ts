export { distrustFolder, toHostEnvironment, toHostPath } from './host-path.ts';
export { writeCacheFile } from './cache-file.ts';
