import { approvedScripts } from './approved-scripts.ts';
import type { AttackClass } from './case.ts';

/** Every class of attack with a generator. */
export const CLASSES: readonly AttackClass[] = [approvedScripts];
