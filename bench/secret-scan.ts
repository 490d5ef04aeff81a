import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor, createSecretScanner, PROMISED_RULES } from '@klaus/core/policy';
import type { Benchmark } from './benchmark.ts';
import { interleave, time } from './measure.ts';
import { ROOT } from './program.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Folders with ordinary source. */
const FOLDERS = ['core', 'adapters', 'sdk', 'apps', 'node_modules/zod/src', 'node_modules/typescript/lib'];
const VALUES = 20;
const MIB = 1024 * 1024;

/** Megabytes a second that are scanned for secrets, and what redaction costs with known values. */
export const secretScan: Benchmark = {
  name: 'secrets',
  async run({ quick }) {
    const files = FOLDERS.flatMap((folder) => readSources(join(ROOT, folder)));
    const bytes = files.reduce((sum, { text }) => sum + text.length, 0);
    const rounds = quick ? 3 : 9;
    const scanner = createSecretScanner({ digest });
    const scanned = await interleave(
      {
        // Every character is looked at once, and no more.
        bare: () => time(() => files.reduce((sum, { text }) => sum + countLines(text), 0)),
        klaus: () => time(() => files.reduce((sum, { path, text }) => sum + scanner.scan(text, { path }).length, 0)),
      },
      rounds,
    );
    const values = Array.from({ length: VALUES }, (_, at) => ({
      name: `v${at}`,
      value: digest(`value ${at}`).slice(0, 24),
    }));
    const promised = createRedactor({ salt: 's', digest, rules: PROMISED_RULES });
    const complete = createRedactor({ salt: 's', digest, values });
    const clean = complete.redact(files.map(({ text }) => text).join('\n')).slice(0, MIB);
    const redacted = await interleave(
      { bare: () => time(() => promised.redact(clean)), klaus: () => time(() => complete.redact(clean)) },
      rounds * 3,
    );
    const rate = (ms: number): number => bytes / 1e6 / (ms / 1_000);
    return [
      {
        name: 'scan for secrets, ordinary source',
        value: rate(scanned.klaus),
        unit: 'MB/s',
        bare: { value: rate(scanned.bare), what: 'counting lines, a character at a time' },
      },
      {
        name: `redaction of 1 MiB, all rules and ${VALUES} known values`,
        value: redacted.klaus,
        unit: 'ms',
        bare: { value: redacted.bare, what: 'the ten promised rules alone' },
      },
    ];
  },
};

function countLines(text: string): number {
  let lines = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === 10) lines++;
  return lines;
}

function readSources(folder: string): { path: string; text: string }[] {
  return (
    readdirSync(folder, { recursive: true, withFileTypes: true })
      // The rules themselves hold every keyword there is.
      .filter(
        (entry) => entry.isFile() && /\.(?:ts|js|json|md)$/.test(entry.name) && !entry.name.startsWith('gitleaks'),
      )
      .map((entry) => ({ path: `src/${entry.name}`, text: readFileSync(join(entry.parentPath, entry.name), 'utf8') }))
  );
}
