import type { AttackClass } from './case.ts';
import { protectedPlaces } from './protected-places.ts';

/** Every class of attack with a generator. */
export const CLASSES: readonly AttackClass[] = [protectedPlaces];
