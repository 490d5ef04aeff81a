import { join } from 'node:path';

/** Absolute paths of the demo's project and of the script of its model. The build copies both into its folder. */
export const demoFiles = {
  project: join(import.meta.dirname, 'project'),
  script: join(import.meta.dirname, 'script.yaml'),
};
