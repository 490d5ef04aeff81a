import { parentPort, workerData } from 'node:worker_threads';
import { installMutant } from './mutants.ts';
import { openGround, type GroundOrder } from './open-ground.ts';
import type { Ground } from './ground.ts';
import type { Report } from './report.ts';

const { mutant, order } = workerData as { mutant?: string; order: GroundOrder };
if (mutant !== undefined) installMutant(mutant);
// Imported after the mutant is installed.
const { planOf } = await import('./ground.ts');
const { check, shrink } = await import('./shrink.ts');
const { toReport } = await import('./report.ts');

const port = parentPort!;
const opening = openGround(order);

/** @throws Error that names the seed: an error outside of the simulated life, such as of Postgres. */
async function live(seed: number): Promise<Report> {
  try {
    return await liveOn(await opening, seed);
  } catch (error) {
    throw new Error(`The simulation of seed ${seed} ended with an error.`, { cause: error });
  }
}

async function liveOn(ground: Ground, seed: number): Promise<Report> {
  const plan = planOf(ground, seed);
  const outcome = await check(ground, plan);
  // The plan of a mutant is not shrunk.
  if (!outcome.broken || mutant !== undefined) return toReport(outcome, plan);
  const small = await shrink(ground, plan, outcome);
  return { ...toReport(small.outcome, small.plan), hash: outcome.hash };
}

port.on('message', (seed: number | undefined) => {
  if (seed !== undefined) return void live(seed).then((report) => port.postMessage(report));
  void opening.then((ground) => ground[Symbol.asyncDispose]()).then(() => port.close());
});
