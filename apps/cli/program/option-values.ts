import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';

export function integer(min: number, max = Number.POSITIVE_INFINITY): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
    const range = max === Number.POSITIVE_INFINITY ? `from ${min}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`It must be an integer ${range}.`);
  };
}

/** A number of at least 0. */
export function toAmount(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('It must be a number from 0.');
  return value;
}

/** Names with commas between them. */
export function toNames(text: string): string[] {
  return text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

export function toTemperature(text: string): number {
  const value = toAmount(text);
  if (value > 2) throw new InvalidArgumentError('It must be a number from 0 to 2.');
  return value;
}

/** Seconds of at least a thousandth, at most a day. */
export function toSeconds(text: string): number {
  const value = toAmount(text);
  if (value < 0.001 || value > 86_400) throw new InvalidArgumentError('It must be a number of seconds, at most 86400.');
  return value;
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
type Unit = keyof typeof UNITS;

/** `90s`, `30m`, `2h`, `1d`, at most a week, in milliseconds. */
export function toDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const value = Number(count) * UNITS[(unit ?? 's') as Unit];
  if (count === undefined || value > UNITS.w)
    throw new InvalidArgumentError('It must be a time such as 90s, 30m, 2h or 1d, at most a week.');
  return value;
}

/** A time in the past such as `2h`, `7d` or `2026-01-31`, in Unix milliseconds. */
export function toPastTime(text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(text.trim()) ?? [];
  const at = count === undefined ? Date.parse(text) : Date.now() - Number(count) * UNITS[unit as Unit];
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be a time such as 30m, 2h, 7d, 4w or 2026-01-31.');
  return at;
}

/** A date, in Unix milliseconds. */
export function toDate(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a date, such as 2026-01-31.');
  return time;
}

/** A parser that adds one value to the values before it. */
export function repeatable(
  parse: (text: string) => string = (text) => text,
): (text: string, before?: readonly string[]) => readonly string[] {
  return (text, before = []) => [...before, parse(text)];
}

function matching(pattern: RegExp, message: string): (text: string) => string {
  return (text) => {
    if (!pattern.test(text)) throw new InvalidArgumentError(message);
    return text;
  };
}

export const toSetting = matching(/^[^=\s]+=/, 'It must be key=value.');
export const toHunkFile = matching(/^[^=]+=./, 'It must be id=file.');
export const toVariable = matching(
  /^[A-Za-z_]\w*\*?$/,
  'It must be the name of a variable, or the beginning of a name and *.',
);

export function toFolderPath(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be a folder.');
  return resolve(text);
}

/** Values that are separated by commas. */
export function toList(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}
