import type { Command, WordPart } from 'unbash';

/** A simple command whose words are all known before it runs. */
export interface StaticWords {
  /** Undefined if a word is only known at run time. Patterns of file names are not expanded. */
  argv: string[] | undefined;
  /** The program's name as it is written; '' where there is none. */
  name: string;
  /** A redirect writes to a file. */
  writes: boolean;
  /** Why a variable set before it makes its exit code prove nothing. */
  trick?: string;
}

/** Variables that can make another program or shell run under a known name. */
const TRICKS =
  /^(?:PATH|LD_\w+|BASH_ENV|ENV|SHELL|HOME|XDG_CONFIG_HOME|npm_config_\w+|NODE_PATH|PERL5OPT|RUBYOPT|MAKEFLAGS|RUSTC|RUSTC_WRAPPER|CARGO_TARGET_\w+_RUNNER|PYTHONSTARTUP|PYTHONHOME|PYTHONUSERBASE|PYTEST_ADDOPTS|PYTEST_PLUGINS)$/i;
const LOADS = /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|--test-only|--check)\b/;
const LOADERS = /(?:tsx|ts-node|swc|esbuild)/;

export function toWords(node: Command): StaticWords {
  const argv: string[] = [];
  let isKnown = true;
  for (const word of [node.name, ...node.args]) {
    if (!word) continue;
    // `alias a=b` and `export a=b` have an assignment as an argument.
    const value = word.type === 'Word' ? word : word.value;
    if (value.type !== 'Word' || !isStatic(value.parts)) isKnown = false;
    else argv.push(word.type === 'Word' ? word.value : word.text);
  }
  const writes = node.redirects.some(
    (redirect) =>
      redirect.type === 'Redirect' &&
      redirect.operator.includes('>') &&
      redirect.target !== undefined &&
      !/^(?:\/dev\/|&?\d$|\/tmp\/)/.test(redirect.target.value),
  );
  let trick: string | undefined;
  for (const item of node.prefix) {
    if (item.type !== 'Assignment') continue;
    const value = item.value.type === 'Word' ? item.value.value : '';
    const loads = item.name === 'NODE_OPTIONS' && LOADS.test(value) && !LOADERS.test(value);
    if (TRICKS.test(item.name) || loads) trick = `it runs with ${item.name} set, so another program may replace it`;
  }
  return {
    argv: isKnown ? argv : undefined,
    name: node.name?.value ?? '',
    writes,
    trick,
  };
}

const STATIC = new Set(['Literal', 'Glob', 'SingleQuoted', 'AnsiCQuoted', 'BraceExpansion', 'ExtendedGlob']);

function isStatic(parts: readonly WordPart[] = []): boolean {
  return parts.every((part) =>
    part.type === 'DoubleQuoted' || part.type === 'LocaleString' ? isStatic(part.parts) : STATIC.has(part.type),
  );
}
