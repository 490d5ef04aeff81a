import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedRequest } from '@klaus/sdk';
import { openModelServer } from '../program.ts';
import type { Agent } from './agent.ts';
import type { AgentPlace } from './agent-place.ts';
import { toPrefixReuse } from './prefix-reuse.ts';
import { openProcessGroup, type ProcessGroup, readMemory } from './process-group.ts';
import { PROMPT, type Task } from './task.ts';

/** One run of one agent. Times in milliseconds. */
export interface Measurement {
  cpu: number;
  wall: number;
  /** MiB at its highest; only where it was watched. */
  memory?: number;
  /** From the start of the program until its first request has arrived. */
  firstRequest: number;
  /** From the arrival of a request to that of the next, mean; undefined where there is but one. */
  nextRequest?: number;
  /** Bytes of the first request. */
  firstBytes: number;
  /** See `toPrefixReuse`; undefined where there is but one request. */
  reuse?: number;
}

export type Measure = keyof Measurement;

export interface RunOptions {
  agent: Agent;
  task: Task;
  place: AgentPlace;
  /** Look at the memory of all processes all the time, which makes the other figures worthless. */
  watchMemory: boolean;
}

/** Milliseconds after which a run is given up. */
const HUNG_MS = 300_000;
/** Milliseconds between two looks at the memory. */
const LOOK_EVERY = 10;

/**
 * Runs an agent through a task, with a model server of its own.
 *
 * @throws Error when it fails, hangs or has not done the work, with what it said.
 */
export async function runAgent({ agent, task, place, watchMemory }: RunOptions): Promise<Measurement> {
  await using server = await openModelServer(task.script);
  const group = openProcessGroup();
  try {
    for (const [path, content] of Object.entries(agent.files(server.url))) {
      mkdirSync(dirname(join(place.home, path)), { recursive: true });
      writeFileSync(join(place.home, path), content);
    }
    const env = { ...place.env, ...agent.env(server.url) };
    const ended = await play({ command: [...agent.command, PROMPT], place, env, group, watchMemory });
    const requests = server.requests.filter(isWork);
    const stdout = readFileSync(place.stdout, 'utf8');
    const problem = ended.problem ?? toProblem(task, stdout, requests);
    if (problem !== undefined)
      throw new Error(`${problem}\n${toTail(stdout)}\n${toTail(readFileSync(place.stderr, 'utf8'))}`);
    const { begun, memory, cpu, wall } = ended;
    const at = requests.map((request) => request.at);
    return {
      cpu,
      wall,
      ...(memory > 0 && { memory }),
      firstRequest: at[0]! - begun,
      firstBytes: Buffer.byteLength(requests[0]!.body),
      ...(at.length > 1 && {
        nextRequest: (at.at(-1)! - at[0]!) / (at.length - 1),
        reuse: toPrefixReuse(requests.map((request) => request.json)),
      }),
    };
  } finally {
    await group.close();
  }
}

interface Play extends Pick<RunOptions, 'place' | 'watchMemory'> {
  command: readonly string[];
  env: Record<string, string>;
  group: ProcessGroup;
}

interface Ended {
  /** Unix milliseconds of the start. */
  begun: number;
  wall: number;
  cpu: number;
  /** MiB; 0 when it was not watched. */
  memory: number;
  problem: string | undefined;
}

async function play({ command, place, env, group, watchMemory }: Play): Promise<Ended> {
  const [program = '', ...words] = [...group.enter, ...command];
  // Files, not pipes: reading what it writes costs the agent nothing then, and no reader has to keep up.
  const stdout = openSync(place.stdout, 'w');
  const stderr = openSync(place.stderr, 'w');
  const begun = Date.now();
  const start = performance.now();
  const child = spawn(program, words, { cwd: place.workspace, env, stdio: ['ignore', stdout, stderr] });
  closeSync(stdout);
  closeSync(stderr);
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    for (const pid of group.readPids()) process.kill(pid, 'SIGKILL');
  }, HUNG_MS);
  let running = true;
  let memory = 0;
  const watch = async (): Promise<void> => {
    while (running) {
      memory = Math.max(memory, readMemory(group.readPids()));
      await pause(LOOK_EVERY);
    }
  };
  const watching = watchMemory ? watch() : undefined;
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  const wall = performance.now() - start;
  const cpu = group.readCpu();
  running = false;
  clearTimeout(timer);
  await watching;
  const failure = code === 0 ? undefined : `it ended with ${code ?? signal}`;
  const problem = hung ? `it was ended after ${HUNG_MS / 1_000} s` : failure;
  return { begun, wall, cpu, memory, problem };
}

/** Titles, probes and other requests beside the work bring no tools or were not answered from the script. */
function isWork({ step, json }: RecordedRequest): boolean {
  const { tools } = (json ?? {}) as { tools?: unknown[] };
  return step !== undefined && Array.isArray(tools) && tools.length > 0;
}

function toProblem(task: Task, stdout: string, requests: readonly RecordedRequest[]): string | undefined {
  if (requests.length !== task.requests) return `it made ${requests.length} requests, not ${task.requests}`;
  return task.check(stdout, requests);
}

function toTail(text: string): string {
  return text.length > 600 ? `… ${text.slice(-600)}` : text;
}
