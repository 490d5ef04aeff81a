import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printOutcome } from '../hooks/print-outcome.ts';
import type { Context } from '../investigate/context.ts';
import { investigate } from '../investigate/investigate.ts';
import { KlendathuError } from '../investigate/klendathu-error.ts';
import type { InvestigateOptions } from '../investigate/options.ts';
import type { Report } from '../investigate/report.ts';
import { readRunSettings } from './run-settings.ts';

export interface FailedTest {
  /** Titles of its suites and its own. */
  title: string;
  file?: string | undefined;
  error: unknown;
  /** More items for the agent. */
  context?: Context;
  instructions?: string;
  access?: InvestigateOptions['access'];
}

export interface TestReport {
  /** Absolute path of the Markdown file. */
  path: string;
  markdown: string;
}

let count = 0;

/**
 * Investigates a failed test: prints the report, and writes it to the folder of reports. Never rejects, so the result
 * of the test run does not change. Undefined if there is no report.
 */
export async function investigateTest(test: FailedTest): Promise<TestReport | undefined> {
  try {
    const settings = readRunSettings();
    if (count >= settings.max) return undefined;
    count += 1;
    const { title, file, error, context, instructions, access } = test;
    const report = await investigate(
      { error, test: { title, file }, ...context },
      { ...settings.options, instructions, access: settings.options.access ?? access },
    );
    printOutcome(report);
    return await writeReport(report, test, join(settings.reports, toFileName(title, file)));
  } catch (error) {
    printOutcome(
      KlendathuError.isInstance(error) ? error : new KlendathuError('server', `No report: ${String(error)}`),
    );
    return undefined;
  }
}

function toFileName(title: string, file: string | undefined): string {
  const words = title.toLowerCase().replaceAll(/[^a-z0-9]+/gu, '-');
  const digest = createHash('sha256').update(`${file}\n${title}`).digest('hex').slice(0, 8);
  return `${words.slice(0, 60).replaceAll(/^-+|-+$/gu, '')}-${digest}`;
}

async function writeReport(report: Report, { title, file }: FailedTest, base: string): Promise<TestReport> {
  const { text, rootCause, evidence, fix, stats } = report;
  const markdown = [
    `# ${title}`,
    ...(file === undefined ? [] : [`\`${file}\``]),
    text,
    ...(evidence.length === 0 ? [] : [evidence.map((it) => `- \`${it.source}\`: ${it.finding}`).join('\n')]),
    ...(fix === undefined ? [] : [`\`\`\`diff\n${fix.unifiedDiff}\n\`\`\``]),
  ].join('\n\n');
  await mkdir(join(base, '..'), { recursive: true });
  await writeFile(`${base}.md`, `${markdown}\n`);
  await writeFile(
    `${base}.json`,
    `${JSON.stringify({ title, file, text, rootCause, evidence, fix, stats }, null, 2)}\n`,
  );
  return { path: `${base}.md`, markdown };
}
