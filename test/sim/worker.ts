import { parentPort, workerData } from 'node:worker_threads';
import { installMutant } from './mutants.ts';
import type { Report } from './report.ts';

const { mutant } = workerData as { mutant?: string };
if (mutant !== undefined) installMutant(mutant);
// Imported after the mutant is installed.
const { createPlan } = await import('./plan.ts');
const { check, shrink } = await import('./shrink.ts');
const { SqliteGround } = await import('./stores/sqlite-ground.ts');
const { toReport } = await import('./report.ts');

const port = parentPort!;
const ground = new SqliteGround();

async function live(seed: number): Promise<Report> {
  const plan = createPlan(seed);
  const outcome = await check(ground, plan);
  // The plan of a mutant is not shrunk.
  if (!outcome.broken || mutant !== undefined) return toReport(outcome, plan);
  const small = await shrink(ground, plan, outcome);
  return { ...toReport(small.outcome, small.plan), hash: outcome.hash };
}

port.on('message', (seed: number | undefined) => {
  if (seed !== undefined) return void live(seed).then((report) => port.postMessage(report));
  ground[Symbol.asyncDispose]();
  port.close();
});
