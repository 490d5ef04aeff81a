import { z } from 'zod';
import { isKlausError, quoteShellWord } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toEvidence } from '../project/check-evidence.ts';
import { isFile } from '../project/package-json.ts';
import { findProjectProgram, isMissing, toMissingPackage } from '../project/project-program.ts';
import { describeEnd, isSuccess } from '../shell/exec-report.ts';
import { quotePath } from '../shell/quote.ts';
import { runProgram, toProgramDetail, toProgramOutput } from '../shell/run-program.ts';
import { toolFailed } from '../tool-failed.ts';
import { describeDiagnostics, toListed, type Diagnostic } from './diagnostics.ts';

const KEEP_BYTES = 4 * 1024 * 1024;

const input = z.object({
  project: z.string().optional().describe('a folder or tsconfig file'),
});

export const tscCheck = defineBuiltinTool({
  name: 'tsc_check',
  description: 'Type-check with TypeScript without emitting. Follows project references.',
  input,
  deferred: true,
  effects: ['execute'],
  // A repeated check reports the present state.
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
  async run(_options, context, intent) {
    const command = intent.command!;
    const run = await runProgram(context, { command, keepBytes: KEEP_BYTES });
    const { result, timeoutMs } = run;
    if (isMissing(result, result.output, 'tsc')) return toMissingPackage(context, 'tsc', 'typescript');
    const diagnostics = toTscDiagnostics(result.output);
    const evidence = await toEvidence(context, { command, result, as: { kind: 'types', runner: 'tsc' } });
    // Other output, such as a crash, is shown unchanged.
    if (diagnostics.length === 0 && !isSuccess(result)) return { ...toProgramOutput(command, run), evidence };
    const lines = [`$ ${command}`, describeDiagnostics(diagnostics), ...describeEnd(result, timeoutMs)];
    if (result.truncated) lines.push('[the output was too long; further errors are not included]');
    return {
      text: lines.join('\n'),
      isError: !isSuccess(result),
      detail: { ...toProgramDetail(result), diagnostics: toListed(diagnostics), count: diagnostics.length },
      evidence,
    };
  },
});

async function choose({ project }: z.infer<typeof input>, context: ToolContext): Promise<string> {
  const config = await findConfig(project, context);
  const tsc = quoteShellWord(await findProjectProgram(context, 'tsc'));
  const mode = (await hasReferences(config, context)) ? '-b' : '-p';
  return `${tsc} ${mode} ${quotePath(config)} --noEmit --pretty false`;
}

/** @throws KlausError `tool.failed` if there is none. */
async function findConfig(project: string | undefined, context: ToolContext): Promise<string> {
  const { relative } = await context.workspace.resolve(project ?? '.');
  if (relative !== '' && (await isFile(context, relative))) return relative;
  const inFolder = relative === '' ? 'tsconfig.json' : `${relative}/tsconfig.json`;
  if (await isFile(context, inFolder)) return inFolder;
  throw toolFailed(`There is no ${inFolder}.`, {
    hint:
      project === undefined
        ? 'Set project to the folder or file.'
        : 'Use a folder with a tsconfig.json, or such a file.',
  });
}

/** True if the configuration references other projects, which only the build mode checks. */
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

const DIAGNOSTIC = /^(?:(.+?)\((\d+),(\d+)\): )?(error|warning) (TS\d+): (.*)$/;

/** Parses the output of `tsc --pretty false`: one error a line, with details on indented lines below it. */
function toTscDiagnostics(output: string): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const text of output.split(/\r?\n/)) {
    const [, path = '', line = 0, column = 0, word, code = '', message = ''] = DIAGNOSTIC.exec(text) ?? [];
    if (word !== undefined) {
      const severity = word === 'warning' ? 'warning' : 'error';
      found.push({ path, line: Number(line), column: Number(column), severity, code, message });
    } else if (/^\s+\S/.test(text) && found.length > 0) found.at(-1)!.message += ` ${text.trim()}`;
  }
  // Projects that share files report an error twice.
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}
