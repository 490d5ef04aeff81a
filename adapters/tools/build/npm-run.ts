import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toEvidence } from '../project/check-evidence.ts';
import { findPackageManager, toScriptLine } from '../project/package-manager.ts';
import { readPackage } from '../project/package-json.ts';
import { checkWord, quote, quoteArguments } from '../shell/quote.ts';
import { runProgram, toProgramOutput } from '../shell/run-program.ts';

/** Scripts named when the one asked for is not there. */
const MAX_LISTED = 50;

const input = z.object({
  script: z.string(),
  args: z.array(z.string()).optional(),
  timeoutMs: z.number().min(1).optional(),
});

/** Runs a script of package.json in the sandbox. */
export const npmRun = defineBuiltinTool({
  name: 'npm_run',
  description: 'Run a script of package.json.',
  input,
  deferred: true,
  effects: ['execute'],
  resume: 'tell',
  example: {
    files: { 'package.json': '{"scripts":{"hello":"echo hello, world"}}' },
    input: { script: 'hello' },
    output: 'hello, world',
  },
  async prepare(options, context) {
    const { command } = await choose(options, context);
    return { title: `run script: ${command.slice(0, 120)}`, access: [{ kind: 'exec', command }], command };
  },
  async run(options, context, intent) {
    const command = intent.command ?? (await choose(options, context)).command;
    const run = await runProgram(context, { command, timeoutMs: options.timeoutMs });
    const notes = run.result.exitCode === 127 ? [await explainMissing(context)] : [];
    const evidence = await toEvidence(context, { command, result: run.result, text: run.text });
    return { ...toProgramOutput(command, run, notes), ...(evidence ? { evidence } : {}) };
  },
});

async function choose({ script, args }: z.infer<typeof input>, context: ToolContext): Promise<{ command: string }> {
  const pkg = await readPackage(context);
  if (!pkg) throw new KlausError('tool.failed', 'There is no package.json in this workspace.');
  const names = Object.keys(pkg.scripts ?? {});
  if (script.startsWith('-') || !names.includes(checkWord('name', script))) {
    const listed = names.slice(0, MAX_LISTED).join(', ') + (names.length > MAX_LISTED ? ', …' : '');
    throw new KlausError('tool.failed', `package.json has no script ${JSON.stringify(script.slice(0, 200))}.`, {
      hint: names.length === 0 ? 'It has no scripts at all.' : `Its scripts: ${listed}.`,
    });
  }
  return { command: toScriptLine(await findPackageManager(context), quote(script), quoteArguments(args)) };
}

/** Not found is the package manager itself, or the program that the script calls. */
async function explainMissing(context: ToolContext): Promise<string> {
  const { name, install, bring } = await findPackageManager(context);
  return (
    `A program was not found. If it is ${name} itself, this brings it: ${bring}. ` +
    `If it is a dependency: ${install} (with run_command and network: true, or by the user).`
  );
}
