import { CLASSES } from './classes.ts';
import { declareAttacks } from './suite.ts';

const only = process.env['ATTACK_CLASS'];
const count = Number(process.env['ATTACK_COUNT'] ?? 500);

for (const attackClass of CLASSES)
  if (only === undefined || attackClass.name === only) declareAttacks(attackClass, count);
