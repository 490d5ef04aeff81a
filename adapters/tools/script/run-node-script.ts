import { defineBuiltinTool } from '../builtin-tool.ts';
import { runScript, scriptInput, toScriptIntent } from './script-source.ts';

export const runNodeScript = defineBuiltinTool({
  name: 'run_node_script',
  description: 'Run a file, or code, with Node.js.',
  input: scriptInput,
  deferred: true,
  effects: ['execute'],
  resume: 'tell',
  example: { input: { code: 'console.log(6 * 7)' }, output: '\n42' },
  prepare: (input, context) => toScriptIntent(input, context, { program: 'node', inline: '-e', afterCode: ' --' }),
  run: ({ timeoutMs }, context, { command }) =>
    runScript(context, { command: command!, timeoutMs }, ['node', 'Node.js, from https://nodejs.org/en/download']),
});
