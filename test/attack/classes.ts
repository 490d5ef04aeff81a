import type { AttackClass } from './case.ts';
import { clearKeys } from './clear-keys.ts';
import { instructionFiles } from './instruction-files.ts';

/** Every class of attack with a generator. */
export const CLASSES: readonly AttackClass[] = [instructionFiles, clearKeys];
