import { ask, type ShellFinding } from './command-rule.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { isKnown, showWord, type Word } from '../expansion/word.ts';
import { forNames, toSet } from '../../word-list.ts';

/** Variables that make other programs start or load something. */
const LOADS =
  /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT|DEBUG_OUTPUT)|DYLD_\w+|GCONV_PATH|BASH_ENV|BASH_CMDS|BASH_ALIASES|ENV|PROMPT_COMMAND|PS4|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|ZDOTDIR|PYTHON(?:STARTUP|PATH|HOME|INSPECT|BREAKPOINT|USERBASE|WARNINGS)|PERL5?(?:OPT|LIB|DB)|PERL5(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|NODE_(?:PATH|REPL_\w+)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GIT_(?:SSH|SSH_COMMAND|EXTERNAL_DIFF|CONFIG\w*|EXEC_PATH|ASKPASS|PROXY_COMMAND|TEMPLATE_DIR|DIR|WORK_TREE|OBJECT_DIRECTORY|ALTERNATE\w*|ALLOW_PROTOCOL)|SSH_ASKPASS|SUDO_ASKPASS|LESSOPEN|LESSCLOSE|MANOPT|CARGO_(?:HOME|BUILD_RUSTC\w*|TARGET_\w+_(?:RUNNER|LINKER))|RUSTC_WRAPPER|RUSTC|GOFLAGS_EXEC|MAKEFLAGS|MAKEFILES|npm_config_(?:script_shell|node_options|globalconfig|userconfig|prefix|git)|NPM_CONFIG_(?:SCRIPT_SHELL|NODE_OPTIONS|USERCONFIG|GLOBALCONFIG)|TAR_OPTIONS|RSYNC_RSH|CVS_RSH|TERMINFO|TERMCAP|OPENSSL_CONF|OPENSSL_(?:ENGINES|MODULES)|PHPRC|PHP_INI_SCAN_DIR|LUA_INIT\w*|GLIBC_TUNABLES|R_PROFILE\w*|JULIA_\w*LOAD\w*|VIMINIT|EXINIT|GVIMINIT|HOSTALIASES|RES_OPTIONS|INPUTRC)$/;
/** Values with which they load nothing foreign. */
const HARMLESS_VALUES: Record<string, RegExp> = {
  ENV: /^(?:test|testing|dev|development|prod|production|staging|ci|local)$/,
  PYTHONWARNINGS: /^(?:ignore|default|error|always|once|module)(?:::?\w*)*$/,
  MAKEFLAGS: /^-?-?j?\s?\d*s?$/,
  ...forNames('GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM', /^(?:\/dev\/null|1|true)$/),
  PS4: /^[^$`\uE000\uE004]*$/,
};
const HARMLESS_OPTIONS =
  /^(?:\s*--(?:max-old-space-size=\d+|max[-_]\w+=\d+|no-warnings|trace-[\w-]+|experimental-[\w-]+|enable-source-maps|no-deprecation|disable-warning=\S+|unhandled-rejections=\w+|openssl-legacy-provider|stack-trace-limit=\d+)\s*)*$/;
/** Folders of the search path that do not put a program before those of the system. */
const USUAL_FOLDER =
  /^[\uE000]$|^\/(?:usr|bin|sbin|opt)(?:\/|$)|node_modules\/\.bin$|\.venv\/bin$|venv\/bin$|^\/~\/|^$/;
/** Variables that name a program: harmless programs are allowed. */
const PROGRAMS =
  /^(?:(?:GIT_|SYSTEMD_|MAN)?PAGER|(?:GIT_|SVN_|FC|SUDO_)?(?:SEQUENCE_)?EDITOR|FCEDIT|VISUAL|BROWSER|SHELL|MAKE_SHELL)$/;
const HARMLESS_PROGRAM =
  /^(?:cat|less|more|true|:|false|vi|vim|nano|emacs|code(?: --wait)?|\/bin\/(?:true|cat|sh|bash)|bash|sh|)$/;

/** Environment: variables that make the next program load or start something else. */
export function judgeEnvironment(command: SimpleCommand): ShellFinding | undefined {
  for (const { name, value } of command.assignments) {
    const reason = describeVariable(name, value);
    if (reason !== undefined) return ask(reason);
  }
  if (!NAMES.has(command.name)) return undefined;
  const name = command.argv.slice(1).find((word) => LOADS.test(word));
  return name === undefined ? undefined : ask(`${name} makes other programs load or start something`);
}

/** Commands that take names of variables, and set or export them. */
const NAMES = toSet('export declare typeset readonly read mapfile readarray printf getopts');

/** What a variable makes other programs load or start. Undefined for one that changes nothing of that kind. */
export function describeVariable(name: string, value: Word): string | undefined {
  // A shell variable reaches other programs only if it is exported.
  if (LOADS.test(name)) {
    const isHarmless =
      value === '' ||
      HARMLESS_VALUES[name]?.test(value) ||
      ((name === 'PYTHONPATH' || name === 'NODE_PATH') && isLocalPath(value));
    return isHarmless ? undefined : `${name} makes other programs load or start something`;
  }
  if (PROGRAMS.test(name))
    return HARMLESS_PROGRAM.test(value) ? undefined : `${name}=${showWord(value)} names a program that others start`;
  if (name === 'NODE_OPTIONS') return HARMLESS_OPTIONS.test(value) ? undefined : 'NODE_OPTIONS can load foreign code';
  const added = name === 'PATH' ? value.split(':').find((part) => !USUAL_FOLDER.test(part)) : undefined;
  return added === undefined ? undefined : `PATH finds programs in ${showWord(added)} first`;
}

/** A search path inside the project, such as `PYTHONPATH=src` or `.`. */
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
