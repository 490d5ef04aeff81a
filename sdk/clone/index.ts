export { parseCloneSource, type CloneSource } from './clone-source.ts';
export type { CloneLimits } from './limited-clone.ts';
export { cloneRepository, type CloneOptions, type CloneProgress } from './clone-repository.ts';
