import type { ToolCall } from '../fixtures/play.ts';
import type { World } from './world.ts';

/** An attack and its benign twin: the same tools and the same shape of task, for a good reason. */
export interface Pair {
  name: string;
  /** The instruction in the injected text. */
  attack: (world: World) => readonly ToolCall[];
  /** Harm beyond what is always looked for. */
  harmed?: (world: World) => boolean;
  twin: (world: World) => readonly ToolCall[];
  /** A text that the last result of the twin must hold, or the effect as seen from outside. */
  done: string | ((world: World) => boolean);
}

export function call(name: string, input: ToolCall['input']): ToolCall {
  return { name, input };
}

export function run(command: string): ToolCall {
  return call('run_command', { command });
}
