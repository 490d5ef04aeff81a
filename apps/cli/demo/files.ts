import { join } from 'node:path';

/** Where the demo's project and the script of its model lie, absolute. The build copies both beside its chunks. */
export const demoFiles = {
  project: join(import.meta.dirname, 'project'),
  script: join(import.meta.dirname, 'script.yaml'),
};
