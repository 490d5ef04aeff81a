import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import type { ToolContext } from '@klaus/core/agent';
import { toCommandNetwork } from '@klaus/core/policy';
import { quoteShellWord } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { readPackage } from '../project/package-json.ts';
import { describeHosts, refuseLimited } from '../shell/command-network.ts';
import { isSuccess } from '../shell/exec-report.ts';
import { runProgram, toProgramOutput } from '../shell/run-program.ts';
import { toolFailed } from '../tool-failed.ts';
import { toRegistryAccess } from './registry-access.ts';

/** A package of a registry, with a version or a tag; no address, no folder and no alias. */
const SPEC = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(?:@[\w.^~<>=*+ |-]+)?$/i;

const input = z.object({
  packages: z.array(z.string().max(300)).optional().describe('such as is-number@7; default: what package.json lists'),
  dev: z.boolean().optional(),
  scripts: z
    .boolean()
    .optional()
    .describe('then run the install scripts of all packages, without a network; asks the user'),
  timeoutMs: z.number().min(1).optional(),
});

/** Runs the scripts that the installation left out. */
const REBUILD = 'npm rebuild';

/**
 * Downloads with the hosts of the registry as the only network, and runs no code of the packages. Their scripts are a
 * second command, without a network.
 */
export const npmInstall = defineBuiltinTool({
  name: 'npm_install',
  description: 'Install npm packages, without their install scripts.',
  input,
  deferred: true,
  effects: ['network', 'execute', 'write'],
  origin: 'channel',
  resume: 'tell',
  example: {
    files: { 'package.json': '{"name":"app","version":"1.0.0"}' },
    grant: 'file-operations · code-execution · net(registry.npmjs.org, 443)',
    input: {},
    output: '[exit code 0]',
  },
  async prepare(options, context) {
    const command = await toCommand(options, context);
    const lines = options.scripts ? [command, REBUILD] : [command];
    const access = [
      ...lines.map((line) => ({ kind: 'exec' as const, command: line })),
      ...toRegistryAccess(context, 'npm'),
    ];
    refuseLimited(context, { access });
    return {
      title: `${headOf(lines.join(' && '), 120)}${describeHosts(access)}`,
      access,
      command: lines.join(' && '),
    };
  },
  async run(options, context, { access }) {
    const command = await toCommand(options, context);
    const { timeoutMs } = options;
    const run = await runProgram(context, { command, timeoutMs, network: toCommandNetwork(access) });
    if (!options.scripts || !isSuccess(run.result)) return toProgramOutput(command, run);
    const scripts = await runProgram(context, { command: REBUILD, timeoutMs });
    const outputs = [toProgramOutput(command, run), toProgramOutput(REBUILD, scripts)];
    return { ...outputs[1]!, text: outputs.map(({ text }) => text).join('\n\n') };
  },
});

async function toCommand({ packages = [], dev }: z.infer<typeof input>, context: ToolContext): Promise<string> {
  const wrong = packages.find((spec) => !SPEC.test(spec) || spec.startsWith('-'));
  if (wrong !== undefined) {
    throw toolFailed(`${JSON.stringify(headOf(wrong, 200))} is not a package of a registry.`, {
      hint: 'Write a name, with a version if needed: is-number@7.0.0.',
    });
  }
  if (packages.length === 0 && !(await readPackage(context)))
    throw toolFailed('There is no package.json in this workspace.');
  const words = ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...(dev ? ['--save-dev'] : [])];
  return [...words, ...packages.map(quoteShellWord)].join(' ');
}
