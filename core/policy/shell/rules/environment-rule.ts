import type { ShellFinding } from './command-rule.ts';
import type { SimpleCommand } from '../reading.ts';
import { isKnown, showWord, type Word } from '../expansion/word.ts';

/** Variables that make other programs start or load something. */
const LOADS =
  /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT|DEBUG_OUTPUT)|DYLD_\w+|GCONV_PATH|BASH_ENV|ENV|PROMPT_COMMAND|PS4|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|ZDOTDIR|PYTHON(?:STARTUP|PATH|HOME|INSPECT|BREAKPOINT|USERBASE|WARNINGS)|PERL5?(?:OPT|LIB|DB)|PERL5(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|NODE_(?:PATH|REPL_\w+)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GIT_(?:SSH|SSH_COMMAND|EXTERNAL_DIFF|CONFIG\w*|EXEC_PATH|ASKPASS|PROXY_COMMAND|TEMPLATE_DIR|DIR|WORK_TREE|OBJECT_DIRECTORY|ALTERNATE\w*|ALLOW_PROTOCOL)|SSH_ASKPASS|SUDO_ASKPASS|LESSOPEN|LESSCLOSE|MANOPT|CARGO_(?:HOME|BUILD_RUSTC\w*|TARGET_\w+_(?:RUNNER|LINKER))|RUSTC_WRAPPER|RUSTC|GOFLAGS_EXEC|MAKEFLAGS|MAKEFILES|npm_config_(?:script_shell|node_options|globalconfig|userconfig|prefix|git)|NPM_CONFIG_(?:SCRIPT_SHELL|NODE_OPTIONS|USERCONFIG|GLOBALCONFIG)|TAR_OPTIONS|RSYNC_RSH|CVS_RSH|TERMINFO|TERMCAP|OPENSSL_CONF|OPENSSL_(?:ENGINES|MODULES)|PHPRC|PHP_INI_SCAN_DIR|LUA_INIT\w*|GLIBC_TUNABLES|R_PROFILE\w*|JULIA_\w*LOAD\w*|VIMINIT|EXINIT|GVIMINIT|HOSTALIASES|RES_OPTIONS|INPUTRC)$/;
/** Variables that name a program: harmless ones pass. */
const PROGRAMS =
  /^(?:(?:GIT_|SYSTEMD_|MAN)?PAGER|(?:GIT_|SVN_|FC|SUDO_)?(?:SEQUENCE_)?EDITOR|FCEDIT|VISUAL|BROWSER|SHELL|MAKE_SHELL)$/;
const HARMLESS_PROGRAM =
  /^(?:cat|less|more|true|:|false|vi|vim|nano|emacs|code(?: --wait)?|\/bin\/(?:true|cat|sh|bash)|bash|sh|)$/;

/** Environment tricks: variables that make the next program load or start something else. */
export function judgeEnvironment(command: SimpleCommand): ShellFinding | undefined {
  for (const { name, value } of command.assignments) {
    const reason = describe(name, value, command);
    if (reason !== undefined) return { verdict: 'ask', reason };
  }
  if (!NAMES.has(command.name)) return undefined;
  const name = command.argv.slice(1).find((word) => LOADS.test(word));
  return name === undefined
    ? undefined
    : { verdict: 'ask', reason: `${name} makes other programs load or start something` };
}

/** Commands that take names of variables, and set or export them. */
const NAMES = new Set('export declare typeset readonly read mapfile readarray printf getopts'.split(' '));

function describe(name: string, value: Word, command: SimpleCommand): string | undefined {
  // A plain variable of this shell reaches other programs only when it is exported; many names are not ours.
  if (LOADS.test(name)) {
    if (value === '' || (name === 'PYTHONPATH' && isLocalPath(value)) || (name === 'NODE_PATH' && isLocalPath(value)))
      return undefined;
    if (name === 'ENV' && /^(?:test|testing|dev|development|prod|production|staging|ci|local)$/.test(value))
      return undefined;
    if (name === 'PYTHONWARNINGS' && /^(?:ignore|default|error|always|once|module)(?:::?\w*)*$/.test(value))
      return undefined;
    if (name === 'MAKEFLAGS' && /^-?-?j?\s?\d*s?$/.test(value)) return undefined;
    if (/^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$/.test(name) && /^(?:\/dev\/null|1|true)$/.test(value))
      return undefined;
    if (name === 'PS4' && !/[$`\uE000\uE004]/.test(value)) return undefined;
    return `${name} makes other programs load or start something`;
  }
  if (PROGRAMS.test(name))
    return HARMLESS_PROGRAM.test(value) ? undefined : `${name}=${showWord(value)} names a program that others start`;
  if (name === 'NODE_OPTIONS') {
    const harmless =
      /^(?:\s*--(?:max-old-space-size=\d+|max[-_]\w+=\d+|no-warnings|trace-[\w-]+|experimental-[\w-]+|enable-source-maps|no-deprecation|disable-warning=\S+|unhandled-rejections=\w+|openssl-legacy-provider|stack-trace-limit=\d+)\s*)*$/;
    return harmless.test(value) ? undefined : 'NODE_OPTIONS can load foreign code';
  }
  if (name === 'PATH') {
    const added = value
      .split(':')
      .filter(
        (part) =>
          !/^[\uE000]$|^\/(?:usr|bin|sbin|opt)(?:\/|$)|node_modules\/\.bin$|\.venv\/bin$|venv\/bin$|^\/~\/|^$/.test(
            part,
          ),
      );
    return added.length > 0 && command.argv.length >= 0
      ? `PATH finds programs in ${showWord(added[0] ?? '')} first`
      : undefined;
  }
  return undefined;
}

/** A search path inside of the project, as `PYTHONPATH=src` or `.`. */
function isLocalPath(value: Word): boolean {
  return value
    .split(':')
    .every(
      (part) =>
        part === '' ||
        part === '.' ||
        (isKnown(part) && !part.includes('..') && !part.startsWith('/tmp')) ||
        /^[\uE000]$/.test(part),
    );
}
