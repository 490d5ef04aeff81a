import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import type { Access } from '@klaus/core/protocol';
import { describeStarted } from '@klaus/core/agent';
import { toNetAccess, toSecretAccess } from '@klaus/core/policy';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toEvidence } from '../project/check-evidence.ts';
import { findUninstalled } from '../project/uninstalled.ts';
import { toolFailed } from '../tool-failed.ts';
import { describeEnd, isSuccess } from './exec-report.ts';
import { describeHosts, refuseLimited, toGrantedNetwork } from './command-network.ts';
import { findMissingNetwork } from './offline.ts';
import { checkWord } from './quote.ts';
import { runProgram, toPrestart, toProgramDetail } from './run-program.ts';

export const runCommand = defineBuiltinTool({
  name: 'run_command',
  description:
    'Run a shell command (bash or sh) in the sandbox, in the workspace. All its processes end with it; there is no network unless network is true.',
  input: z.object({
    command: z.string(),
    cwd: z.string().optional(),
    timeoutMs: z.number().min(1).optional(),
    memoryMb: z.number().min(16).optional(),
    network: z.boolean().optional(),
    description: z.string().optional().describe('what it does, in a few words'),
    background: z.boolean().optional(),
    survive: z.boolean().optional().describe('background: outlive Klaus'),
  }),
  effects: ['execute'],
  resume: 'tell',
  example: { input: { command: 'echo $((6 * 7))' }, freeText: ['description'], output: '42\n[exit code 0]' },
  prestart: (context) => toPrestart(context, { env: {} }),
  async prepare({ command, cwd, network, background, survive }, context) {
    const { workspace, processes } = context;
    if (command.trim() === '') throw toolFailed('The command is empty.');
    checkWord('command', command, 'Write a script with write_file and run it.');
    if (survive && !background) throw toolFailed('survive requires background: true.');
    if (background && processes.refusal !== undefined) throw toolFailed(processes.refusal);
    const folder = cwd === undefined ? undefined : await workspace.resolve(cwd);
    if (folder && (await workspace.stat(cwd!))?.kind !== 'directory') throw toolFailed(`${cwd} is not a directory.`);
    const access: Access[] = [{ kind: 'exec', command, cwd: folder?.absolute }];
    const held = context.authorities();
    if (network) access.push(...toNetAccess(held));
    access.push(...toSecretAccess(held, access, (name) => context.hasSecret(name)));
    refuseLimited(context, { access, background });
    const title = `run ${headOf(command.replaceAll(/\s+/g, ' '), 120)}${describeHosts(access)}`;
    if (!background) return { title, access, command };
    const how = survive ? 'in the background, also after Klaus ends' : 'in the background';
    return { title: `${title} ${how}`, access, command, background };
  },
  async run({ command, cwd = '.', timeoutMs, memoryMb, background, survive = false }, context, intent) {
    const folder = (await context.workspace.resolve(cwd)).absolute;
    const { network, env } = toGrantedNetwork(context, intent);
    const request = { command, cwd: folder, timeoutMs, memoryMb };
    if (background) {
      const process = await context.processes.start({ ...request, network: network === true, survives: survive });
      return { text: describeStarted(process), process, detail: { process: process.id, pid: process.pid } };
    }
    const run = await runProgram(context, { ...request, network, env });
    const { result, text, blob, lines } = run;
    const evidence = await toEvidence(context, { command, result, text, cwd: folder });
    const uninstalled = isSuccess(result) ? undefined : findUninstalled(context.workspace.root, text);
    const missing = uninstalled ?? findMissingNetwork(context, { command, network, result, text });
    return {
      text: [text.replace(/\n$/, ''), ...describeEnd(result, run.timeoutMs), missing?.hint ?? '']
        .filter((line) => line !== '')
        .join('\n'),
      isError: !isSuccess(result),
      detail: { ...toProgramDetail(result), unenforced: result.unenforced, fetch: missing?.command },
      blob,
      lines,
      evidence,
    };
  },
});
