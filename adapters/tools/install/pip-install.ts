import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import type { ToolContext } from '@klaus/core/agent';
import { PIP_COMMAND, PIP_ENVIRONMENT, toCommandNetwork } from '@klaus/core/policy';
import { quoteShellWord } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { describeHosts, refuseLimited } from '../shell/command-network.ts';
import { runProgram, toProgramOutput } from '../shell/run-program.ts';
import { toolFailed } from '../tool-failed.ts';
import { toRegistryAccess } from './registry-access.ts';

/** A package of an index, with extras and versions; no address and no folder. */
const SPEC = /^[a-z0-9](?:[\w.-]*[a-z0-9])?(?:\[[\w., -]+\])?\s*(?:(?:[<>=!~]=?|===)\s*[\w.*+!-]+\s*,?\s*)*$/i;

const REQUIREMENTS = 'requirements.txt';

const input = z.object({
  packages: z
    .array(z.string().max(300))
    .optional()
    .describe('such as six==1.16.0; default: what requirements.txt lists'),
  timeoutMs: z.number().min(1).optional(),
});

/**
 * Installs into `.venv` of the workspace, with the hosts of the index as the only network. Only wheels: a source
 * distribution runs its code to be built.
 */
export const pipInstall = defineBuiltinTool({
  name: 'pip_install',
  description: 'Install Python packages (wheels) into .venv of the workspace, which is created if needed.',
  input,
  deferred: true,
  effects: ['network', 'execute', 'write'],
  origin: 'channel',
  resume: 'tell',
  example: {
    files: { 'requirements.txt': '' },
    grant: 'file-operations · code-execution · net(pypi.org, 443) · net(files.pythonhosted.org, 443)',
    input: {},
    output: '[exit code 0]',
  },
  async prepare(options, context) {
    const command = await toCommand(options, context);
    const access = [{ kind: 'exec' as const, command }, ...toRegistryAccess(context, 'pypi')];
    refuseLimited(context, { access });
    const what = options.packages?.join(' ') ?? `-r ${REQUIREMENTS}`;
    return { title: `pip install ${headOf(what, 120)}${describeHosts(access)}`, access, command };
  },
  async run({ timeoutMs }, context, { access, command = '' }) {
    const run = await runProgram(context, { command, timeoutMs, network: toCommandNetwork(access) });
    return toProgramOutput(command, run);
  },
});

async function toCommand({ packages = [] }: z.infer<typeof input>, { workspace }: ToolContext): Promise<string> {
  const wrong = packages.find((spec) => !SPEC.test(spec));
  if (wrong !== undefined) {
    throw toolFailed(`${JSON.stringify(headOf(wrong, 200))} is not a package of an index.`, {
      hint: 'Write a name, with versions if needed: six==1.16.0.',
    });
  }
  if (packages.length === 0 && (await workspace.stat(REQUIREMENTS))?.kind !== 'file')
    throw toolFailed(`There is no ${REQUIREMENTS} in this workspace.`, { hint: 'Name the packages.' });
  const what = packages.length === 0 ? `-r ${REQUIREMENTS}` : packages.map(quoteShellWord).join(' ');
  return `(${PIP_ENVIRONMENT}) && ${PIP_COMMAND} --only-binary :all: ${what}`;
}
