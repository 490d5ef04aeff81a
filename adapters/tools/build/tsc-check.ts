import { z } from 'zod';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toEvidence } from '../project/check-evidence.ts';
import { isFile } from '../project/package-json.ts';
import { findProjectProgram, isMissing, toMissing } from '../project/project-program.ts';
import { describeEnd, isSuccess } from '../shell/exec-report.ts';
import { quote, quotePath } from '../shell/quote.ts';
import { runProgram, toProgramDetail, toProgramOutput } from '../shell/run-program.ts';
import { describeDiagnostics, toListed } from './diagnostics.ts';
import { toTscDiagnostics } from './tsc-output.ts';

/** Bytes of complaints that are read. */
const KEEP_BYTES = 4 * 1024 * 1024;

const input = z.object({
  project: z.string().optional().describe('a folder or tsconfig file'),
});

/** Type-checks with the project's TypeScript. */
export const tscCheck = defineBuiltinTool({
  name: 'tsc_check',
  description: 'Type-check with TypeScript, without emitting; project references are followed.',
  input,
  deferred: true,
  effects: ['execute'],
  // A check that is made twice says what is there now.
  resume: 'repeat',
  example: {
    files: {
      'tsconfig.json': '{"compilerOptions":{"types":[]},"files":["a.ts"]}',
      'a.ts': 'export const a: number = 1;\n',
    },
    packages: ['typescript'],
    input: {},
    output: '0 errors.',
  },
  async prepare(options, context) {
    const command = await choose(options, context);
    return { title: `type-check: ${command}`, access: [{ kind: 'exec', command }], command };
  },
  async run(options, context, intent) {
    const command = intent.command ?? (await choose(options, context));
    const run = await runProgram(context, { command, keepBytes: KEEP_BYTES });
    const { result, timeoutMs } = run;
    if (isMissing(result, result.output, 'tsc')) return toMissing(context, { program: 'tsc', brings: 'typescript' });
    const diagnostics = toTscDiagnostics(result.output);
    const evidence = await toEvidence(context, { command, result, as: { kind: 'types', runner: 'tsc' } });
    // What it says in other words, such as a crash, is shown as it is.
    if (diagnostics.length === 0 && !isSuccess(result)) {
      return { ...toProgramOutput(command, run), ...(evidence ? { evidence } : {}) };
    }
    const lines = [`$ ${command}`, describeDiagnostics(diagnostics), ...describeEnd(result, timeoutMs)];
    if (result.truncated) lines.push('[there were more complaints than are read]');
    return {
      text: lines.join('\n'),
      isError: !isSuccess(result),
      detail: { ...toProgramDetail(result), diagnostics: toListed(diagnostics), count: diagnostics.length },
      ...(evidence ? { evidence } : {}),
    };
  },
});

async function choose({ project }: z.infer<typeof input>, context: ToolContext): Promise<string> {
  const config = await findConfig(project, context);
  const tsc = quote(await findProjectProgram(context, 'tsc'));
  const options = '--noEmit --pretty false';
  return (await hasReferences(config, context))
    ? `${tsc} -b ${quotePath(config)} ${options}`
    : `${tsc} -p ${quotePath(config)} ${options}`;
}

/** @throws KlausError `tool.failed` when there is none. */
async function findConfig(project: string | undefined, context: ToolContext): Promise<string> {
  const { relative } = await context.workspace.resolve(project ?? '.');
  if (relative !== '' && (await isFile(context, relative))) return relative;
  const inFolder = relative === '' ? 'tsconfig.json' : `${relative}/tsconfig.json`;
  if (await isFile(context, inFolder)) return inFolder;
  throw new KlausError('tool.failed', `There is no ${inFolder}.`, {
    hint:
      project === undefined
        ? 'Name the folder or file with project.'
        : 'Name a folder with a tsconfig.json, or such a file.',
  });
}

/** True when the configuration builds on other projects: then only the build mode checks them. */
async function hasReferences(config: string, { workspace }: ToolContext): Promise<boolean> {
  try {
    const text = Buffer.from(await workspace.read(config, { maxBytes: 1024 * 1024 })).toString('utf8');
    const withoutComments = text.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (part) =>
      part.startsWith('"') ? part : '',
    );
    return /"references"\s*:\s*\[\s*\{/.test(withoutComments);
  } catch (error) {
    if (isKlausError(error)) return false;
    throw error;
  }
}
