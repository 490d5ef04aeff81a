import { KlendathuError } from './klendathu-error.ts';
import type { InvestigateOptions, Mode } from './options.ts';

const MODES: readonly string[] = ['auto', 'live', 'frozen', 'record'] satisfies Mode[];

/** @throws KlendathuError `input` */
export function checkOptions(options: InvestigateOptions): void {
  const { mode, access, timeoutMs, evalTimeoutMs, budget, dedupe } = options;
  if (mode !== undefined && !MODES.includes(mode)) refuse('mode', mode, MODES.join(', '));
  if (access !== undefined && access !== 'read' && access !== 'full') refuse('access', access, 'read, full');
  if (dedupe !== undefined && typeof dedupe !== 'boolean' && dedupe !== 'fingerprint')
    refuse('dedupe', dedupe, 'true, false, fingerprint');
  for (const [name, value] of Object.entries({ timeoutMs, evalTimeoutMs, ...budget })) {
    if (value !== undefined && !(typeof value === 'number' && value > 0) && !(name === 'evals' && value === 0)) {
      refuse(name, value, 'a positive number');
    }
  }
}

/** The mode without `auto`. */
export function resolveMode(options: InvestigateOptions): Exclude<Mode, 'auto'> {
  const mode = options.mode ?? process.env['KLENDATHU_MODE'] ?? 'auto';
  if (!MODES.includes(mode)) refuse('KLENDATHU_MODE', mode, MODES.join(', '));
  if (mode !== 'auto') return mode as Exclude<Mode, 'auto'>;
  return process.env['NODE_ENV'] === 'production' ? 'record' : 'live';
}

function refuse(name: string, value: unknown, expected: string): never {
  throw new KlendathuError('input', `The option ${name} has the value ${String(value)}.`, {
    hint: `Expected: ${expected}.`,
  });
}
