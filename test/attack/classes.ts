import { approvedScripts } from './approved-scripts.ts';
import type { AttackClass } from './case.ts';
import { destroyedHistory } from './destroyed-history.ts';
import { plantedRepositories } from './planted-repositories.ts';

/** Every class of attack with a generator. */
export const CLASSES: readonly AttackClass[] = [plantedRepositories, destroyedHistory, approvedScripts];
