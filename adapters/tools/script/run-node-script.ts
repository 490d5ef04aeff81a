import { defineBuiltinTool } from '../builtin-tool.ts';
import { isMissing, toMissingProgram } from '../project/project-program.ts';
import { runProgram, toProgramOutput } from '../shell/run-program.ts';
import { scriptInput, toScriptIntent } from './script-source.ts';

const NODE = { program: 'node', inline: '-e', afterCode: ' --' };

/** Runs JavaScript in the sandbox. */
export const runNodeScript = defineBuiltinTool({
  name: 'run_node_script',
  description: 'Run a file, or code, with Node.js.',
  input: scriptInput,
  deferred: true,
  effects: ['execute'],
  resume: 'tell',
  example: { input: { code: 'console.log(6 * 7)' }, output: '\n42' },
  prepare: (input, context) => toScriptIntent(input, context, NODE),
  async run(input, context, intent) {
    const command = intent.command ?? (await toScriptIntent(input, context, NODE)).command!;
    const run = await runProgram(context, { command, timeoutMs: input.timeoutMs });
    if (isMissing(run.result, run.text, 'node')) {
      return toMissingProgram('node', 'Node.js, from https://nodejs.org/en/download');
    }
    return toProgramOutput(command, run);
  },
});
