import type { WireReport } from './run-checks.ts';
import type { ServerFacts } from './server-facts.ts';
import type { Target } from './target.ts';

const MAX_DETAIL = 200;

/** Tables in Markdown, one for each wire. */
export function toReport(
  reports: readonly WireReport[],
  { target, facts, seconds }: { target: Target; facts: ServerFacts; seconds: number },
): string {
  const { software = target.baseUrl, weights, contextWindow } = facts;
  const window = contextWindow === undefined ? '' : `, a window of ${contextWindow} tokens`;
  const head = `${software}, ${weights ?? target.model}${window}, ${seconds.toFixed(0)} s.`;
  return [head, ...reports.map(toTable)].join('\n\n');
}

function toTable({ wire, results, requests }: WireReport): string {
  if (results.length === 0) return `**${wire}**: the server does not have it.`;
  const count = (status: string): string => `${results.filter((each) => each.status === status).length} ${status}`;
  const rows = results.map(({ name, status, detail }) => {
    const line = detail.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
    const isLong = line.length > MAX_DETAIL && status !== 'failed';
    return `| ${name} | ${status} | ${isLong ? `${line.slice(0, MAX_DETAIL)}…` : line} |`;
  });
  const sum = [count('passed'), count('failed'), count('skipped')].join(', ');
  return [`**${wire}**: ${sum}; ${requests} requests.`, '', '| check | result | |', '|---|---|---|', ...rows].join(
    '\n',
  );
}
