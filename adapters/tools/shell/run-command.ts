import { z } from 'zod';
import { KlausError, type Access } from '@klaus/core/protocol';
import { describeStarted } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toEvidence } from '../project/check-evidence.ts';
import { describeEnd, isSuccess } from './exec-report.ts';
import { describeMissingNetwork } from './offline.ts';
import { runProgram, toPrestart, toProgramDetail } from './run-program.ts';

/** The kernel takes no longer word than 128 KiB. */
const MAX_COMMAND_BYTES = 100_000;

/** Runs a shell command in the sandbox. */
export const runCommand = defineBuiltinTool({
  name: 'run_command',
  description:
    'Run a shell command (sh) in the sandbox, in the workspace. It ends with everything it started; there is no network unless network is true.',
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
  async prepare({ command, cwd, network, background, survive }, { workspace, processes }) {
    checkCommand(command);
    if (survive && !background) throw new KlausError('tool.failed', 'survive is for background: true only.');
    if (background && processes.refusal !== undefined) throw new KlausError('tool.failed', processes.refusal);
    const folder = cwd === undefined ? undefined : await workspace.resolve(cwd);
    if (folder) {
      const state = await workspace.stat(cwd!);
      if (state?.kind !== 'directory') throw new KlausError('tool.failed', `${cwd} is not a directory.`);
    }
    const access: Access[] = [{ kind: 'exec', command, ...(folder ? { cwd: folder.absolute } : {}) }];
    if (network) access.push({ kind: 'net', host: '*', port: 0 });
    const title = `run ${command.replaceAll(/\s+/g, ' ').slice(0, 120)}`;
    if (!background) return { title, access, command };
    return {
      title: `${title} in the background${survive ? ', also after Klaus ends' : ''}`,
      access,
      command,
      background,
    };
  },
  async run({ command, cwd, timeoutMs, memoryMb, network, background, survive }, context) {
    if (background) {
      const process = await context.processes.start({
        command,
        cwd: (await context.workspace.resolve(cwd ?? '.')).absolute,
        network: network ?? false,
        survives: survive ?? false,
        timeoutMs,
        memoryMb,
      });
      return { text: describeStarted(process), process, detail: { process: process.id, pid: process.pid } };
    }
    const run = await runProgram(context, {
      command,
      cwd: (await context.workspace.resolve(cwd ?? '.')).absolute,
      network: network ?? false,
      env: {},
      timeoutMs,
      memoryMb,
    });
    const { result, text, blob } = run;
    const absolute = (await context.workspace.resolve(cwd ?? '.')).absolute;
    const evidence = await toEvidence(context, { command, result, text, cwd: absolute });
    return {
      text: [
        text.replace(/\n$/, ''),
        ...describeEnd(result, run.timeoutMs),
        ...describeMissingNetwork(context, { command, network, result, text }),
      ]
        .filter((line) => line !== '')
        .join('\n'),
      isError: !isSuccess(result),
      detail: { ...toProgramDetail(result), unenforced: result.unenforced },
      ...(blob ? { blob } : {}),
      ...(evidence ? { evidence } : {}),
    };
  },
});

function checkCommand(command: string): void {
  if (command.trim() === '') throw new KlausError('tool.failed', 'The command is empty.');
  if (command.includes('\0')) throw new KlausError('tool.failed', 'The command contains a null byte.');
  if (!command.isWellFormed()) throw new KlausError('tool.failed', 'The command is not valid Unicode.');
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    throw new KlausError(
      'tool.failed',
      `The command is ${Buffer.byteLength(command)} bytes long; write a script with write_file and run that.`,
    );
  }
}
