import { join } from 'node:path';
import { messageOf } from '../../core/protocol/message-of.ts';
import type { Agent } from './agent.ts';
import { createAgentPlace } from './agent-place.ts';
import { type Measure, type Measurement, runAgent } from './run-agent.ts';
import type { Task } from './task.ts';

export interface Series {
  agent: Agent;
  /** Undefined where the run failed, or where an agent that is far slower than the others had a break. */
  rounds: (Measurement | undefined)[];
}

/** An agent that has no figures, and why. */
export interface LeftOut {
  title: string;
  reason: string;
}

export interface TaskResult {
  task: Task;
  series: Series[];
  leftOut: LeftOut[];
}

export interface RoundsOptions {
  task: Task;
  agents: readonly Agent[];
  /** Rounds that count. In each of them every agent runs once. */
  pairs: number;
  /** Further rounds between them, in which only the memory counts. */
  memoryRounds: number;
  /** An agent that is far slower than the fastest runs in every Nth round only. */
  slowEvery: number;
  folder: string;
  /** Folder of the `node` that agents find first. */
  node: string;
  log: (line: string) => void;
  /** Ends the bench before its time; the rounds that are done count. */
  signal?: AbortSignal;
}

/** Rounds before it is known who is slow. */
const GETTING_TO_KNOW = 3;
/** Times the CPU of the fastest that are far slower. */
const FAR_SLOWER = 4;
/** Failed runs after which an agent is left out. */
const TOO_MANY = 3;

/**
 * Runs all agents in turn, round by round, each round beginning with another one, so that what else happens on the
 * machine meets all of them alike. A first round does not count: what a program does once in its life (databases,
 * caches, migrations) is done by then. An agent that fails in it is left out.
 */
export async function measureTask(options: RoundsOptions): Promise<TaskResult> {
  const { task, agents, pairs, memoryRounds, slowEvery, folder, node, log, signal } = options;
  const leftOut: LeftOut[] = [];
  const contestants = agents.map((agent) => ({
    agent,
    place: createAgentPlace(join(folder, task.name, agent.name), node),
    failures: [] as string[],
    rounds: [] as (Measurement | undefined)[],
  }));
  const isOut = ({ failures }: (typeof contestants)[number]): boolean => failures.length >= TOO_MANY;
  let slow = new Set<unknown>();
  for (const [round, { counts, watchMemory, number }] of toSchedule(pairs, memoryRounds).entries()) {
    if (round === GETTING_TO_KNOW) slow = findSlow(contestants);
    const begun = performance.now();
    for (const at of contestants.keys()) {
      const contestant = contestants[(at + round) % contestants.length]!;
      if (isOut(contestant) || signal?.aborted) continue;
      if (slow.has(contestant) && (number - 1) % slowEvery !== 0) {
        contestant.rounds.push(undefined);
        continue;
      }
      const { agent, place, rounds, failures } = contestant;
      try {
        const run = await runAgent({ agent, task, place, watchMemory });
        if (counts) rounds.push(run);
      } catch (error) {
        // An interruption ends agents too.
        if (signal?.aborted) continue;
        const reason = messageOf(error);
        log(`${agent.title} failed: ${reason}`);
        if (counts) rounds.push(undefined);
        failures.push(...Array<string>(counts ? 1 : TOO_MANY).fill(reason));
        if (isOut(contestant)) leftOut.push({ title: agent.title, reason: reason.split('\n', 1)[0]! });
      }
    }
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    const name = watchMemory ? `memory ${number} of ${memoryRounds}` : `round ${number} of ${pairs}`;
    log(`${task.name}: ${counts ? name : 'first round, which does not count'}, ${seconds} s`);
    if (signal?.aborted) break;
  }
  const series = contestants.filter((each) => !isOut(each)).map(({ agent, rounds }) => ({ agent, rounds }));
  return { task, series, leftOut };
}

function findSlow<One extends { rounds: readonly (Measurement | undefined)[] }>(all: readonly One[]): Set<One> {
  const taken = all.map(({ rounds }) => Math.min(...rounds.flatMap((round) => round?.cpu ?? [])));
  const least = Math.min(...taken);
  return new Set(all.filter((_, at) => taken[at]! > FAR_SLOWER * least));
}

interface Round {
  counts: boolean;
  watchMemory: boolean;
  /** Among those of its kind, from 1. */
  number: number;
}

/** The round that does not count, then those for CPU and time with the ones for the memory spread between them. */
function toSchedule(pairs: number, memoryRounds: number): Round[] {
  const schedule: Round[] = [{ counts: false, watchMemory: false, number: 1 }];
  let looks = 0;
  for (let pair = 1; pair <= pairs; pair++) {
    schedule.push({ counts: true, watchMemory: false, number: pair });
    for (; looks < Math.floor((pair * memoryRounds) / pairs); looks++) {
      schedule.push({ counts: true, watchMemory: true, number: looks + 1 });
    }
  }
  return schedule;
}

/** The values of one measure by round; undefined where a round has none. */
export function toValues({ rounds }: Series, measure: Measure): (number | undefined)[] {
  return rounds.map((round) => {
    // Looking at the memory slows everything else down.
    if (round === undefined || (round.memory !== undefined) !== (measure === 'memory')) return undefined;
    return round[measure];
  });
}
