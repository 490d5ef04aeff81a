import { headOf } from '@klaus/core/cut-text';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { toHostPath } from '@klaus/adapters/system';
import { type Access, quoteShellWord } from '@klaus/core/protocol';
import type { Intent, ToolContext, ToolOutput } from '@klaus/core/agent';
import { isMissing, toMissingProgram } from '../project/project-program.ts';
import { describeEnd, isSuccess } from '../shell/exec-report.ts';
import { runProgram, toProgramDetail, type ProgramRun } from '../shell/run-program.ts';
import { toolFailed } from '../tool-failed.ts';

/** Fields of every tool that runs Terraform. */
export const terraformFields = {
  folder: z.string().optional().describe('the configuration; default: the workspace'),
  network: z.boolean().optional().describe('for providers; default false'),
};

/** Fields of the tools that need the values of variables. */
export const variableFields = {
  vars: z.record(z.string(), z.string()).optional(),
  varFile: z.string().optional().describe('in the folder'),
};

export interface Configuration {
  /** Absolute real path. */
  absolute: string;
  /** Relative to the workspace; '' is the workspace. */
  relative: string;
}

const ENVIRONMENT = {
  CI: 'true',
  NO_COLOR: '1',
  TF_IN_AUTOMATION: '1',
  TF_INPUT: '0',
  // No request about newer versions.
  CHECKPOINT_DISABLE: '1',
};

/** @throws KlausError `tool.failed` for a folder without Terraform files. */
export async function findConfiguration(
  { workspace }: Pick<ToolContext, 'workspace'>,
  folder = '.',
): Promise<Configuration> {
  const { absolute, relative } = await workspace.resolve(folder);
  if ((await workspace.stat(folder))?.kind !== 'directory') throw toolFailed(`${folder} is not a directory.`);
  return { absolute, relative };
}

/** A path below the folder of a configuration, relative to the workspace. */
export function toInside({ relative }: Configuration, path: string): string {
  return relative === '' ? path : `${relative}/${path}`;
}

/** The program of the settings; else `terraform`, or `tofu` if only OpenTofu is on the PATH. */
function findProgram({ deploy }: Pick<ToolContext, 'deploy'>): string {
  if (deploy.terraform !== undefined) return deploy.terraform;
  const folders = toHostPath().split(delimiter);
  const has = (name: string): boolean => folders.some((folder) => existsSync(join(folder, name)));
  return !has('terraform') && has('tofu') ? 'tofu' : 'terraform';
}

/** A command line of Terraform. */
export function toLine(context: Pick<ToolContext, 'deploy'>, words: readonly string[]): string {
  return [findProgram(context), ...words].map(quoteShellWord).join(' ');
}

/** The intent of a tool that runs Terraform commands in the sandbox. */
export function toTerraformIntent(
  configuration: Configuration,
  { title, lines, network = false }: { title: string; lines: readonly string[]; network?: boolean },
): Intent {
  const { absolute: cwd, relative } = configuration;
  const access = lines.map((command): Access => ({ kind: 'exec', command, cwd }));
  if (network) access.push({ kind: 'net', host: '*', port: 0 });
  return { title: `${title} in ${relative || '.'}`, access, command: lines.join('\n') };
}

export interface TerraformRun {
  line: string;
  network?: boolean;
  /** The output is JSON for this tool: it is not shown while it runs. Default false. */
  quiet?: boolean;
}

/** How the programs are installed. */
const INSTALL: Readonly<Record<string, string>> = {
  terraform: 'https://developer.hashicorp.com/terraform/install',
  tofu: 'https://opentofu.org/docs/intro/install',
};

const KEEP_BYTES = 32 * 1024 * 1024;

export function runTerraform(
  context: ToolContext,
  { absolute }: Configuration,
  { line, network = false, quiet = false }: TerraformRun,
): Promise<ProgramRun> {
  return runProgram(context, {
    ...{ command: line, cwd: absolute, network, env: ENVIRONMENT, quiet },
    ...(quiet ? { keepBytes: KEEP_BYTES } : {}),
  });
}

/** The result of a failed command; undefined if it succeeded. */
export function toFailure(line: string, run: ProgramRun): ToolOutput | undefined {
  const { result, timeoutMs } = run;
  const text = run.text || result.output;
  if (isSuccess(result)) return undefined;
  const program = line.slice(0, line.indexOf(' '));
  if (isMissing(result, text, program)) return toMissingProgram(program, INSTALL[program] ?? '');
  const head = [`$ ${headOf(line, 500)}`, ...describeEnd(result, timeoutMs)];
  const hint = /Saved plan is stale/.test(text) ? ['The state changed after the plan: run terraform_plan again.'] : [];
  return {
    text: [...head, ...hint, '', hideSecrets(text).trim()].join('\n'),
    isError: true,
    detail: toProgramDetail(result),
  };
}

/** The options for the values of variables. @throws KlausError `tool.failed` for a name or value that is not plain text. */
export async function toVariableOptions(
  { workspace }: Pick<ToolContext, 'workspace'>,
  configuration: Configuration,
  { vars = {}, varFile }: { vars?: Readonly<Record<string, string>>; varFile?: string },
): Promise<string[]> {
  const options = Object.entries(vars).map(([name, value]) => {
    if (!/^[a-zA-Z_][a-zA-Z0-9_-]*$/.test(name)) throw toolFailed(`${JSON.stringify(name)} is no name of a variable.`);
    if (/[;&|`$(){}[\]<>\\!\p{Cc}]/u.test(value) || !value.isWellFormed())
      throw toolFailed(`The value of ${name} contains a character that is not allowed here.`, {
        hint: 'Write it into a file, and give varFile.',
      });
    return `-var=${name}=${value}`;
  });
  if (varFile === undefined) return options;
  const { relative } = await workspace.resolve(toInside(configuration, varFile));
  if (!/\.tfvars(?:\.json)?$/.test(varFile) || (await workspace.stat(relative))?.kind !== 'file')
    throw toolFailed(`${varFile} is no file of variables (.tfvars) in the folder.`);
  return [...options, `-var-file=${varFile}`];
}

const SECRETS = [
  /((?:password|passwd|secret|api_?key|token)\s*=\s*)"[^"\n]+"/gi,
  /(AWS_SECRET_ACCESS_KEY\s*=\s*)\S+/gi,
] as const;

/** Replaces what looks like a secret in the output of Terraform, which hides only values that are declared sensitive. */
export function hideSecrets(text: string): string {
  return SECRETS.reduce((shown, pattern) => shown.replaceAll(pattern, '$1(sensitive)'), text);
}
