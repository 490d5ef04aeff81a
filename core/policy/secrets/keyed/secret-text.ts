import type { KeyKind } from './secret-key.ts';

export interface TextSite {
  kind: KeyKind;
  /** Between quotes. */
  isQuoted: boolean;
}

/** References to a value: variables, templates, markers of a vault or an encrypted file, calls. */
const REFERENCE =
  /^\$[\w{(]|\$\{|\$\(|\{\{|^%[\w.-]+%$|^<[^>]*>?$|^@[\w.-]+@$|^#\{|^\{[\w.-]*\}$|<%|^(?:ENC|AES|GPG)\[|^\[secret:[\w-]+:[0-9a-f]{8}\]?$|^![A-Za-z]|^(?:env|vault|ssm|op|secret|ref|file|keyring|kms|arn|projects|sops|passwordstore|lookup):/i;
const CODE =
  /[()]|^(?:process|os|env|ENV|config|settings|self|this|secrets|vars?|local|data|module)[.[]|[\w\])]\[|=>|&&|\|\|/;
/** Names in a row, such as `options.auth.password`, `Foo::BAR`, `user?.token`. */
const NAMES = /^[*&!]?[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+$/;
const CONSTANT = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const PLACEHOLDER =
  /^(?:your|insert|enter|replace|dummy|fake|sample|placeholder|change|todo|fixme|redacted|hidden|masked|mock|null|none|true|false|undefined|unset|empty)(?![a-z]*\d[a-z\d]*\d)|example|placeholder|changeme|change[-_ ]me|[-_]here$|x{5,}|^\*{3,}|\*{5,}|\.{3}|…|^(.)\1*$/i;
/** `password123`, `test1234`: what documentation writes. */
const TRIVIAL =
  /^(?:my|the|test|new|old)?[-_]?(?:pass(?:word|wd)?|pwd|secret|test|admin|root|user|demo|foo|bar|token|key|guest|login|qwerty|abc)[-_]?\d{0,9}[!?.]?$/i;
const URL_OR_PATH = /^[a-z][a-z0-9+.-]*:\/\/|^(?:\.{0,2}|~)\/[\w.@/-]*$|^[A-Za-z]:\\|^[\w.-]+\/[\w./-]*\.[a-z]{1,5}$/i;
const ADDRESS = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
const VERSION = /^[~^v]?\d+(?:\.\d+)+(?:[-+.][\w.]+)?$|^\d{4}-\d\d-\d\d|^sha\d+-/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True if the value of a secret key is a secret, not a reference to one. */
export function isSecretText(value: string, { kind, isQuoted }: TextSite): boolean {
  if (value.length < (kind === 'password' ? 6 : 8) || value.length > 8_192) return false;
  if (/\s/.test(value) || REFERENCE.test(value) || PLACEHOLDER.test(value)) return false;
  if (ADDRESS.test(value) || VERSION.test(value) || CONSTANT.test(value) || TRIVIAL.test(value)) return false;
  if (!isQuoted && CODE.test(value)) return false;
  const random = isRandom(value);
  if (URL_OR_PATH.test(value) && (!random || value.includes('://'))) return false;
  // Names, unless one of them is random by itself, as in `hvs.…` and `glpat-….…`.
  if (NAMES.test(value)) return random && (isQuoted || value.split(/[.:>-]+/).some(isRandomPart));
  if (random || (isQuoted && isMarked(value))) return true;
  if (kind !== 'password') return false;
  if (/^\d+$/.test(value)) return true;
  return isChosen(value, isQuoted);
}

/** Letters with marks in their midst that no name has. */
function isMarked(value: string): boolean {
  const marks = value.match(/[!@#%^&*+=?~]/g)?.length ?? 0;
  return (
    value.length >= 12 &&
    marks > 1 &&
    !/[<>{}()|,;/\\]/.test(value) &&
    /[A-Za-z0-9][!@#%^&*+=?~]+[A-Za-z0-9]/.test(value)
  );
}

/** Words with digits or marks between them, as a person chooses a password. */
function isChosen(value: string, isQuoted: boolean): boolean {
  if (!/[a-z]/i.test(value) || /[<>{}|,]/.test(value)) return false;
  const marks = /[!@#%^&*~+=?$]/.test(value);
  const digits = value.match(/\d/g)?.length ?? 0;
  if (marks && digits > 0) return true;
  if (value.length < 8) return false;
  if (/^[A-Za-z_-]+\d{0,3}$/.test(value)) return marks && isQuoted;
  return digits > 0 && /^[\w.!@#%^&*~+=?$-]+$/.test(value) && (isQuoted || digits > 1);
}

/** Pairs of letters that words hardly have. */
const RARE_PAIR =
  /q(?!u)[a-z]|[jqvxz][bcdfgjkmpqtw]|[bcdfghjkmnpqrtvwxz][jqxz]|[fhjkpqvwxz](?:[bdgjkmpqvwxz])|[bcdgmptvw][bfgkmpvwq]/gi;

/** True for what a machine made: changes between letters, digits and case come too often for words. */
function isRandom(value: string): boolean {
  if (UUID.test(value)) return true;
  const body = value.replace(/=+$/, '');
  const runs = body.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
  const length = runs.reduce((sum, run) => sum + run.length, 0);
  if (length < 8 || length < body.length / 2 || !/[a-z]/i.test(body)) return false;
  if (length >= 16 && /^[0-9a-f]+$/i.test(body)) return /\d/.test(body) && /[a-f]/i.test(body);
  if (length >= 16 && !/[^A-Za-z0-9+/]/.test(body) && isDense(value)) return true;
  const digitRuns = runs.filter((run) => /^\d/.test(run)).length;
  const average = length / runs.length;
  if (digitRuns > 0 && average < (length >= 12 ? 3 : 2.6)) return true;
  if (digitRuns === 0 && length >= 12 && average < 2.7 && isMixed(body)) return true;
  if (digitRuns > 1 && length >= 12 && !/[-_.]/.test(body)) return true;
  const letters = body.match(/[a-z]/gi)?.length ?? 0;
  const rare = body.match(RARE_PAIR)?.length ?? 0;
  return length >= 10 && rare >= 2 && rare * 7 >= letters;
}

/** In one piece, and neither words with a number behind them nor a name in camel case. */
function isDense(value: string): boolean {
  if (value.endsWith('=') && value.length % 4 === 0) return true;
  if (/^[A-Z0-9]+$/.test(value)) return true;
  if (/^[a-z0-9]+$/.test(value)) return value.length >= 20 && /[a-z]\d+[a-z]/.test(value);
  return /\d/.test(value) && !/^[a-z]*\d{0,3}(?:[A-Z][a-z]+\d{0,3})*$/.test(value);
}

function isRandomPart(part: string): boolean {
  return part.length >= 16 && /^[A-Za-z0-9]+$/.test(part) && isDense(part);
}

/** Capitals that do not begin the words of a name. */
function isMixed(body: string): boolean {
  return /[A-Z]/.test(body) && /[a-z]/.test(body) && !/^[A-Za-z]?[a-z]*(?:[-_.]?[A-Z][a-z]+)+$/.test(body);
}
