import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { describeProcess, findProcess } from './describe-process.ts';

/** Bytes that a named pipe accepts at once. */
const MAX_INPUT = 32_768;

export const processControl = defineBuiltinTool({
  name: 'process_control',
  description: 'Stop a background process, or write input to it.',
  input: z.object({
    process: z.string(),
    input: z.string().optional(),
    stop: z.boolean().optional(),
  }),
  deferred: true,
  effects: ['execute'],
  resume: 'tell',
  example: {
    before: [{ name: 'run_command', input: { command: 'sleep 1000', background: true } }],
    input: { process: 'p1', stop: true },
    output: 'p1: stopped',
  },
  inPlace: true,
  async prepare({ process: id, input, stop }, context) {
    if ((input === undefined) === (stop !== true)) throw toolFailed('Use either input or stop: true.');
    const status = findProcess(context, id);
    if (input === undefined) return { title: `stop background process ${id}`, access: [] };
    if (Buffer.byteLength(input) > MAX_INPUT)
      throw toolFailed(`The input is longer than ${MAX_INPUT} bytes; send it in parts.`);
    if (context.processes.refusal !== undefined)
      throw toolFailed(`The input was not sent. ${context.processes.refusal}`);
    const command = toCommand(status.command, input);
    return {
      title: `write to background process ${id}`,
      access: [{ kind: 'exec', command, hasNetwork: true }],
      command,
    };
  },
  async run({ process: id, input }, { processes }) {
    if (input !== undefined) {
      await processes.send(id, input);
      return { text: `Written to ${id}. Read its output with process_output.` };
    }
    const before = findProcess({ processes }, id);
    if (before.state !== 'running') return { text: `${id} is not running: ${describeProcess(before)}.` };
    const status = await processes.stop(id, { reason: 'the model stopped it' });
    return { text: `${id}: ${describeProcess(status)}. All its processes have ended.`, process: status };
  },
});

/** The gate judges the input as if the command were run with it: a shell or an interpreter would execute it. */
function toCommand(command: string, input: string): string {
  let mark = 'KLAUS_INPUT';
  while (input.includes(mark)) mark += '_';
  return `${command} <<'${mark}'\n${input.replace(/\n?$/, '\n')}${mark}`;
}
