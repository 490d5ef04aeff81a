import { readGitleaksRules } from '../../core/policy/secrets/gitleaks-rules.ts';
import { PROMISED_RULES } from '../../core/policy/secrets/promised-rules.ts';
import { toRedactionRules } from '../../core/policy/secrets/redaction-rules.ts';
import { SECRET_FILE_RULES } from '../../core/policy/secrets/secret-files.ts';

export const PYTHON_SECRET_RULES = 'python/klendathu/src/klendathu/_secret_rules.py';

/** Rules whose pattern uses syntax that Python does not know. */
const NOT_IN_PYTHON = new Set(['kubernetes-secret-yaml']);

/** The redaction rules that have a pattern, as a module of the Python package. */
export function toPythonSecretRules(): string {
  const patterns = new Set([...PROMISED_RULES, ...readGitleaksRules()].map(({ name }) => name));
  const rules = toRedactionRules().filter(
    ({ name, pattern }) => pattern !== undefined && patterns.has(name) && !NOT_IN_PYTHON.has(name),
  );
  const rows = rules.map(({ name, pattern = '', flags = '', keywords, group = 0, entropy = 0 }) =>
    JSON.stringify([name, pattern.replaceAll(/\(\?<(?=[A-Za-z])/g, '(?P<'), flags, keywords, group, entropy]),
  );
  const text = `[\n${rows.join(',\n')}\n]`;
  const [names, tails, [endings, publicEnv, publicKey]] = JSON.parse(SECRET_FILE_RULES) as [
    string[],
    string[],
    string[],
  ];
  const files = JSON.stringify({ names, tails, endings, publicEnv, publicKey });
  if (`${text}${files}`.includes("'''")) throw new Error("A rule holds ''', which ends a string of Python.");
  return `"""Shapes of secrets: name, pattern, flags, keywords, group, entropy. And the names of files that hold secrets.

Generated from core/policy/secrets by scripts/klendathu/python-secret-rules.ts: \`npm run docs\`. Most rules come from
gitleaks (https://github.com/gitleaks/gitleaks), Copyright (c) 2019 Zachary Rice, MIT licence.
"""

RULES_JSON = r'''${text}'''

FILES_JSON = r'''${files}'''
`;
}
