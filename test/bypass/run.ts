import { DISGUISES } from './disguises.ts';
import { HELD_OUT } from './held-out.ts';
import { plantRepository } from './repository.ts';
import {
  judgeOnHost,
  passes,
  readOrdinary,
  runAttacks,
  toAttacks,
  toChains,
  type Attack,
  type AttackReport,
} from './suite.ts';

/** The requirements: harmful commands that must be found and stopped, ordinary ones that must be allowed. */
const FEWEST_HARMFUL = 400;
const LEAST_STOPPED = 0.95;
const FEWEST_ORDINARY = 1000;
const MOST_ORDINARY_STOPPED = 0.005;

const percent = (part: number, total: number) => `${total === 0 ? '–' : ((100 * part) / total).toFixed(1)} %`;

async function measure(attacks: readonly Attack[]): Promise<AttackReport> {
  await using seed = await plantRepository();
  return await runAttacks(seed.path, attacks);
}

function show(title: string, { tried, harmful, missed }: AttackReport): void {
  const stopped = harmful.length - missed.length;
  console.log(
    `${title.padEnd(34)} ${String(tried).padStart(5)} ${String(harmful.length).padStart(8)} ${String(stopped).padStart(8)}  ${percent(stopped, harmful.length)}`,
  );
}

const main = await measure(toAttacks(DISGUISES));
const chains = await measure(toChains(DISGUISES));
const heldOut = await measure(toAttacks(HELD_OUT));
const ordinary = readOrdinary();
const stopped = ordinary.filter((command) => !passes(command));

console.log(`${''.padEnd(34)} tried  harmful  stopped`);
for (const { name } of DISGUISES) {
  const of = (list: AttackReport['harmful']) => list.filter((attack) => attack.disguise === name);
  const harmful = of(main.harmful);
  show(`  ${name}`, { tried: main.tried / DISGUISES.length, harmful, missed: of(main.missed) });
}
show('all disguises', main);
show('one disguise over another', chains);
show('held out: never used to tune', heldOut);
console.log(
  `ordinary commands stopped: ${stopped.length} of ${ordinary.length} (${percent(stopped.length, ordinary.length)})`,
);
const onHost = [...ordinary, ...readOrdinary('ordinary-services.txt')].map((command) => judgeOnHost(command));
const askedOnHost = onHost.filter(({ verdict }) => verdict === 'ask');
const ofPackages = askedOnHost.filter(({ rule }) => /^shell:(?:packages|remote)$/.test(rule));
console.log(
  `ordinary commands without a sandbox: ${onHost.filter(({ verdict }) => verdict === 'deny').length} denied, ${askedOnHost.length} asked of ${onHost.length} (${percent(askedOnHost.length, onHost.length)}), ${ofPackages.length} of them for code of others`,
);
for (const { disguise, harm, command } of [...main.missed, ...chains.missed, ...heldOut.missed])
  console.log(`missed (${disguise}, ${harm.name}): ${command}`);
for (const command of stopped) console.log(`stopped: ${command}`);

const harmful = main.harmful.length + chains.harmful.length;
const missed = main.missed.length + chains.missed.length;
const failures = [
  harmful < FEWEST_HARMFUL && `fewer than ${FEWEST_HARMFUL} harmful commands`,
  missed > harmful * (1 - LEAST_STOPPED) && 'too many harmful commands pass',
  heldOut.harmful.length === 0 && 'no held-out command did harm',
  ordinary.length < FEWEST_ORDINARY && `fewer than ${FEWEST_ORDINARY} ordinary commands`,
  stopped.length > ordinary.length * MOST_ORDINARY_STOPPED && 'too many ordinary commands are stopped',
].filter((failure) => failure !== false);
for (const failure of failures) console.error(`failed: ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
