// How often redaction replaces text that is not a secret, in configuration and source of third-party packages.
// node test/deny/false-positives.ts [--files N] [--show] [FOLDER …]
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRedactor } from '@klaus/core/policy';

const KINDS =
  '.json .yml .yaml .toml .ini .cfg .conf .properties .xml .env .tf .sh .service .desktop .ts .js .mjs .cjs .py .rb .go .rs .java .php .pl .pm .c .h .css .html .md .rst .txt'.split(
    ' ',
  );
const MAX_BYTES = 512 * 1_024;

/** What redaction took out of files. */
export interface Measured {
  files: number;
  lines: number;
  /** Lines of which something was taken out. */
  flagged: { path: string; line: number; rule: string; text: string }[];
  /** Milliseconds. */
  spent: number;
}

/** Ordinary text files below folders, the same ones each time, spread over all of them. */
export function pickFiles(folders: readonly string[], count: number): string[] {
  const kinds = new Map<string, string[]>();
  for (const folder of folders.filter((each) => existsSync(each)))
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const kind = extname(entry.name);
      if (!entry.isFile() || !KINDS.includes(kind)) continue;
      const path = join(entry.parentPath, entry.name);
      kinds.set(kind, [...(kinds.get(kind) ?? []), path]);
    }
  const order = (path: string): string => createHash('sha256').update(path).digest('hex');
  const queues = [...kinds.values()].map((paths) =>
    paths.map((path) => ({ path, at: order(path) })).sort((a, b) => (a.at < b.at ? -1 : 1)),
  );
  const picked: string[] = [];
  for (let round = 0; picked.length < count && queues.some((queue) => round < queue.length); round++)
    for (const queue of queues) if (queue[round] && picked.length < count) picked.push(queue[round]!.path);
  return picked;
}

export function measure(paths: readonly string[]): Measured {
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
  const redactor = createRedactor({ salt: 's', digest });
  const measured: Measured = { files: 0, lines: 0, flagged: [], spent: 0 };
  for (const path of paths) {
    if (statSync(path).size > MAX_BYTES) continue;
    const text = readFileSync(path, 'utf8');
    const lines = text.split('\n');
    const begun = performance.now();
    const hits = redactor.find(text);
    measured.spent += performance.now() - begun;
    measured.files++;
    measured.lines += lines.length;
    for (const line of new Set(hits.map((hit) => hit.line))) {
      const hit = hits.find((each) => each.line === line)!;
      measured.flagged.push({ path, line, rule: hit.rule, text: text.slice(hit.start, hit.end) });
    }
  }
  return measured;
}

/** Percent of the lines. */
export function toRate({ lines, flagged }: Measured): number {
  return (100 * flagged.length) / lines;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { files: { type: 'string', default: '1000' }, show: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const root = join(import.meta.dirname, '../..');
  const folders = [join(root, 'node_modules'), '/usr/share', '/usr/lib/python3', '/etc', join(homedir(), '.cargo')];
  const measured = measure(pickFiles(positionals.length > 0 ? positionals : folders, Number(values.files)));
  if (values.show)
    for (const { path, line, rule, text } of measured.flagged)
      console.log(`${path}:${line}  ${rule}  ${JSON.stringify(text.slice(0, 80))}`);
  const { files, lines, flagged, spent } = measured;
  console.log(
    `${files} files, ${lines} lines, ${flagged.length} flagged: ${toRate(measured).toFixed(3)} %, in ${Math.round(spent)} ms`,
  );
}
