export type { Findings } from './contract/index.ts';
