import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import type { ToolContext } from '@klaus/core/agent';
import { quoteShellWord } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toEvidence } from '../project/check-evidence.ts';
import { findPackageManager, toScriptLine } from '../project/package-manager.ts';
import { readPackage } from '../project/package-json.ts';
import { checkWord, quoteArguments } from '../shell/quote.ts';
import { runProgram, toProgramDetail, toProgramOutput } from '../shell/run-program.ts';
import { toolFailed } from '../tool-failed.ts';
import { findUninstalled } from '../project/uninstalled.ts';
import { isSuccess } from '../shell/exec-report.ts';

const MAX_LISTED = 50;

const input = z.object({
  script: z.string(),
  args: z.array(z.string()).optional(),
  timeoutMs: z.number().min(1).optional(),
});

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
    const command = await choose(options, context);
    return { title: `run script: ${headOf(command, 120)}`, access: [{ kind: 'exec', command }], command };
  },
  async run({ timeoutMs }, context, intent) {
    const command = intent.command!;
    const run = await runProgram(context, { command, timeoutMs });
    const uninstalled = isSuccess(run.result) ? undefined : findUninstalled(context.workspace.root, run.text);
    const notes = uninstalled ? [uninstalled.hint] : run.result.exitCode === 127 ? [await explainMissing(context)] : [];
    const evidence = await toEvidence(context, { command, result: run.result, text: run.text });
    const output = toProgramOutput(command, run, notes);
    return { ...output, detail: { ...toProgramDetail(run.result), fetch: uninstalled?.command }, evidence };
  },
});

async function choose({ script, args }: z.infer<typeof input>, context: ToolContext): Promise<string> {
  const pkg = await readPackage(context);
  if (!pkg) throw toolFailed('There is no package.json in this workspace.');
  const names = Object.keys(pkg.scripts ?? {});
  if (script.startsWith('-') || !names.includes(checkWord('name', script))) {
    const listed = names.slice(0, MAX_LISTED).join(', ') + (names.length > MAX_LISTED ? ', …' : '');
    throw toolFailed(`package.json has no script ${JSON.stringify(headOf(script, 200))}.`, {
      hint: names.length === 0 ? 'It has no scripts.' : `Its scripts: ${listed}.`,
    });
  }
  return toScriptLine(await findPackageManager(context), quoteShellWord(script), quoteArguments(args));
}

/** Either the package manager or a program of the script is missing. */
async function explainMissing(context: ToolContext): Promise<string> {
  const { name, install, bring } = await findPackageManager(context);
  return (
    `A program was not found. To install ${name} itself: ${bring}. ` +
    `To install the dependencies: ${install} (run_command with network: true), or klaus fetch by the user.`
  );
}
