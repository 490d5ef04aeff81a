import { defineBuiltinTool } from '../builtin-tool.ts';
import { BRING_PYTHON, findPython } from '../project/python.ts';
import { runScript, scriptInput, toScriptIntent } from './script-source.ts';

export const runPythonScript = defineBuiltinTool({
  name: 'run_python_script',
  description: "Run a file, or code, with the project's Python 3.",
  input: scriptInput,
  deferred: true,
  effects: ['execute'],
  resume: 'tell',
  example: { input: { code: 'print(6 * 7)' }, output: '\n42' },
  prepare: async (input, context) =>
    toScriptIntent(input, context, { program: await findPython(context), inline: '-c', afterCode: '' }),
  run: ({ timeoutMs }, context, { command }) =>
    runScript(context, { command: command!, timeoutMs }, ['python3', BRING_PYTHON]),
});
