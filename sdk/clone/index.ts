export { parseCloneSource, type CloneSource } from './clone-source.ts';
export { cloneRepository, type CloneOptions, type CloneProgress } from './clone-repository.ts';
