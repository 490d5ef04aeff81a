import { createChance, type Chance } from '../../undo/chance.ts';
import { createPlan, CRASH_LABELS, type Plan } from '../plan.ts';
import type { ClusterFault } from './cluster-fault.ts';

/** Labels of waits around the upload of an object, the event that names it, and its answer. */
const UPLOAD_LABELS = ['object put', 'object stored', 'append', 'appended'] as const;
const STOP_LABELS = [...CRASH_LABELS, ...UPLOAD_LABELS] as const;

/** The plan of a seed for two workers: that of one machine, with faults of a cluster. */
export function createClusterPlan(seed: number): Plan {
  const chance = createChance(seed ^ 0xc1a5);
  const plan = createPlan(seed);
  const faults = chance.percent(35)
    ? [...plan.faults, { kind: 'crash-at' as const, label: chance.pick(UPLOAD_LABELS), nth: 1 + chance.number(8) }]
    : plan.faults;
  return { ...plan, faults, cluster: Array.from({ length: 1 + chance.number(5) }, () => toFault(chance)) };
}

function toFault(chance: Chance): ClusterFault {
  const ms = chance.percent(40) ? chance.number(2_000) : chance.number(12_000);
  if (chance.percent(45))
    return { kind: 'stop', label: chance.pick(STOP_LABELS), nth: 1 + chance.number(4), ms: 200 + ms };
  const nth = 1 + chance.number(2);
  if (chance.percent(40)) return { kind: 'lost', nth, how: chance.pick(['fails', 'dropped'] as const) };
  if (chance.percent(25)) return { kind: 'twice', nth, ms };
  return { kind: 'late', nth, older: chance.percent(60) ? 0 : 1, ms: chance.number(600) };
}
