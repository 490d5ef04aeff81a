import { toolFailed } from '../tool-failed.ts';

/** Characters. */
const MAX_GLOB = 4_096;

/**
 * Converts a glob as in .gitignore to a test for paths: `*`, `?`, `**`, `[a-z]`, `{a,b}`. A glob without a slash matches
 * at any depth; a leading `!` negates. Names that begin with a dot are not special.
 *
 * @throws KlausError `tool.failed` for an invalid glob.
 */
export function toGlobTest(glob: string): (path: string) => boolean {
  if (glob.length > MAX_GLOB || glob.includes('\0') || !glob.isWellFormed())
    throw toolFailed(`The glob must be valid text of at most ${MAX_GLOB} characters.`);
  if (glob.startsWith('!')) {
    const inner = toGlobTest(glob.slice(1));
    return (path) => !inner(path);
  }
  const clean = glob.replace(/^\.?\//, '').replace(/\/$/, '/**');
  // Repeated `**/` mean the same as one, and would make the search exponential.
  const anchored = (clean.includes('/') ? clean : `**/${clean}`).replaceAll(/(?<=^|\/)(?:\*\*\/)+/g, '**/');
  try {
    const expression = new RegExp(`^${toSource(anchored)}$`, 'u');
    return (path) => expression.test(path);
  } catch (error) {
    throw toolFailed(`The glob ${glob} is invalid.`, { cause: error });
  }
}

function toSource(glob: string): string {
  let source = '';
  let braces = 0;
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at]!;
    if (char === '*' && glob[at + 1] === '*') {
      const alone = (at === 0 || glob[at - 1] === '/') && (glob[at + 2] === '/' || at + 2 >= glob.length);
      source += !alone ? '[^/]*' : glob[at + 2] === '/' ? '(?:.*/)?' : '.*';
      at += alone && glob[at + 2] === '/' ? 2 : 1;
    } else if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '[') {
      const end = glob.indexOf(']', at + 2);
      if (end < 0) source += '\\[';
      else {
        const inner = glob
          .slice(at + 1, end)
          .replace(/^[!^]/, '^')
          .replaceAll(/[\\[\]]/g, '\\$&');
        source += `(?!/)[${inner}]`;
        at = end;
      }
    } else if (char === '{' && glob.indexOf('}', at) > 0) {
      braces++;
      source += '(?:';
    } else if (char === '}' && braces > 0) {
      braces--;
      source += ')';
    } else if (char === ',' && braces > 0) source += '|';
    else source += char.replaceAll(/[.+^${}()|[\]\\/]/g, '\\$&');
  }
  return source + ')'.repeat(braces);
}
