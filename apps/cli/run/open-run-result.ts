import { createOutput } from '../output/show-output.ts';
import { type Options, toOutputFormat } from '../program/options.ts';
import type { RunResult } from './run-result.ts';

/**
 * The result that the options ask for. Only a document and a schema need more than the output.
 *
 * @throws UsageError for a schema that is not valid.
 */
export async function openRunResult(options: Options): Promise<RunResult> {
  if (toOutputFormat(options) === 'json' || options.outputSchema !== undefined) {
    const { createResultDocument } = await import('./result-document.ts');
    return createResultDocument(options);
  }
  return { output: createOutput(options), parts: [], finish: (_, exitCode) => Promise.resolve(exitCode) };
}
