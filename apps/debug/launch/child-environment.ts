import { CHILD_NAMES, CHILD_PATTERN } from '../contract/child-variables.ts';

const names = new Set(CHILD_NAMES);
const pattern = new RegExp(CHILD_PATTERN, 'u');

/** The environment of the CLI: what it needs of `env`, and `more`. */
export function toChildEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  more: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const chosen = Object.entries(env).filter(([name]) => names.has(name.toUpperCase()) || pattern.test(name));
  const merged: Record<string, string | undefined> = { ...Object.fromEntries(chosen), ...more };
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
