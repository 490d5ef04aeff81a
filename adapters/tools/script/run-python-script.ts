import type { Intent, ToolContext } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { isMissing, toMissingProgram } from '../project/project-program.ts';
import { BRING_PYTHON, findPython } from '../project/python.ts';
import { runProgram, toProgramOutput } from '../shell/run-program.ts';
import { scriptInput, toScriptIntent, type ScriptInput } from './script-source.ts';

/** Runs Python in the sandbox. */
export const runPythonScript = defineBuiltinTool({
  name: 'run_python_script',
  description: "Run a file, or code, with the project's Python 3.",
  input: scriptInput,
  deferred: true,
  effects: ['execute'],
  resume: 'tell',
  example: { input: { code: 'print(6 * 7)' }, output: '\n42' },
  prepare: choose,
  async run(input, context, intent) {
    const command = intent.command ?? (await choose(input, context)).command!;
    const run = await runProgram(context, { command, timeoutMs: input.timeoutMs });
    if (isMissing(run.result, run.text, 'python3')) return toMissingProgram('python3', BRING_PYTHON);
    return toProgramOutput(command, run);
  },
});

async function choose(input: ScriptInput, context: ToolContext): Promise<Intent> {
  return toScriptIntent(input, context, { program: await findPython(context), inline: '-c', afterCode: '' });
}
