import { createOptionLookup, judgeRewrite } from './git-rewrite.ts';
import { ask, askUnknown, askNetwork, denyToAgent, type ShellFinding } from './command-rule.ts';
import { readOptions } from '../programs/options.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { isBroad, protectedPlace, type ShellContext } from './target.ts';
import { isDynamic, isKnown, showWord, toGlobWord, type Word } from '../expansion/word.ts';
import { toList } from '../../word-list.ts';

/** Settings that make git start programs, read other settings or work elsewhere. */
const DANGEROUS_SETTING =
  /^(?:alias\.|core\.(?:fsmonitor|hookspath|sshcommand|pager|editor|askpass|gitproxy|worktree|attributesfile|alternaterefscommand)|sequence\.editor|pager\.|diff\.external|(?:diff|filter|merge|difftool|mergetool|man|browser|trailer|submodule|remote|url|credential|include|includeif|protocol|uploadpack|receive|gpg|init|http|sendemail|interactive|web|instaweb)\.)/i;
const HARMLESS_VALUE = /^(?:cat|less|true|false|:|\/dev\/null|main|master|)$/;
const HARMLESS_SETTING =
  /^(?:user\.|color\.|core\.(?:quotepath|autocrlf|ignorecase|filemode|eol|abbrev|longpaths|bare|precomposeunicode)|advice\.|push\.|pull\.|rebase\.|rerere\.|commit\.|branch\.|log\.|status\.|fetch\.|column\.|diff\.(?:algorithm|renames|colormoved|context)|merge\.(?:conflictstyle|ff)|init\.defaultbranch|feature\.|index\.|gc\.auto|commit\.gpgsign|tag\.gpgsign|gpg\.format|safe\.)/i;

const NETWORK =
  /^(?:push|fetch|pull|clone|ls-remote|remote-\w+|fetch-pack|send-pack|http-\w+|send-email|request-pull|daemon|upload-pack|receive-pack|archive-remote|svn|p4|lfs|instaweb|credential.*)$/;
/** Those of them that only fail where there is no network, or work on another repository of the workspace. */
const FAILS_OFFLINE = /^(?:push|fetch|pull|clone|ls-remote|request-pull)$/;
const HARD_TO_UNDO =
  /^(?:update-ref|prune|prune-packed|replace|fast-import|update-index-force|unpack-objects|read-tree|checkout-index|refs)$/;
/** Settings that make an ordinary command rewrite or drop commits. */
const REWRITING_SETTING =
  /^(?:pull\.rebase|branch\..+\.rebase|rebase\.updaterefs|gc\.(?:.*prune.*|.*reflog.*|.*expire.*)|core\.logallrefupdates)$/i;

/**
 * The arguments of git; undefined for another program. `git-reset` in git's folder of programs is `git reset`.
 */
export function readGitWords({ argv, name }: Pick<SimpleCommand, 'argv' | 'name'>): Word[] | undefined {
  const own = /^git-([a-z][a-z-]*)$/.exec(name)?.[1];
  if (name !== 'git' && own === undefined) return undefined;
  return [...(own === undefined ? [] : [own]), ...argv.slice(1)];
}

/** Git: loses work, reaches another machine, or makes git start other programs. */
export function judgeGit(command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const args = readGitWords(command);
  if (!args) return undefined;
  let at = 0;
  for (; at < args.length && (args[at] ?? '').startsWith('-'); at++) {
    const arg = args[at] ?? '';
    if (arg === '-c' || arg === '--config-env' || arg.startsWith('--config-env=')) {
      const finding = judgeSetting(arg.includes('=') ? arg.slice(13) : (args[++at] ?? ''));
      if (finding) return finding;
    } else if (/^--exec-path=|^--git-dir|^--work-tree|^--namespace/.test(arg))
      return ask(`${showWord(arg)} makes git work elsewhere`);
    else if (arg === '-C') at++;
  }
  const name = args[at] ?? '';
  const rest = args.slice(at + 1);
  if (name !== '' && !isKnown(name)) return askUnknown('the git command is only known at run time');
  if (
    rest.some((arg) => arg.startsWith('ext::') || /^--(?:upload-pack|receive-pack|exec)(?:=|$)/.test(arg)) &&
    name !== 'rebase'
  )
    return ask('it makes git start another program');
  if (NETWORK.test(name)) {
    if (name === 'push' && overwrites(rest))
      return denyToAgent('it overwrites or deletes commits or branches of a remote repository');
    const finding = judgeRewrite(name, rest) ?? (name === 'clone' ? judgeClone(rest, command, context) : undefined);
    if (finding) return finding;
    const reason = `git ${name} reaches another repository`;
    if (!FAILS_OFFLINE.test(name) || !rest.every(isKnown)) return ask(reason);
    return { ...askNetwork(reason), worksOffline: name === 'push' };
  }
  if (HARD_TO_UNDO.test(name)) return ask(`git ${name} changes history or refs below git's own protections`);
  return judgeRewrite(name, rest) ?? judgeSubcommand(name, rest) ?? judgeTaken(name, rest, { command, context });
}

/** Takes a protected place from a commit, without the sandbox, which judges it after that. */
function judgeTaken(
  name: Word,
  rest: readonly Word[],
  { command, context }: { command: SimpleCommand; context: ShellContext },
): ShellFinding | undefined {
  if (context.host === undefined || !/^(?:checkout|restore|mv|checkout-index|read-tree)$/.test(name)) return undefined;
  const word = rest.find((arg) => !arg.startsWith('-') && protectedPlace(arg, command, context));
  return word === undefined ? undefined : ask(`it writes ${showWord(word)}, a protected place`);
}

function overwrites(rest: readonly Word[]): boolean {
  const has = createOptionLookup(readOptions(rest, ['-o', '--push-option', '--repo']).flags);
  return (
    has('-f', '--force', '--force-with-lease', '--force-if-includes', '--mirror', '--delete', '-d', '--prune') ||
    rest.some((arg) => /^\+|^:./.test(arg))
  );
}

function judgeClone(rest: readonly Word[], command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const { all, flags } = readOptions(rest, toList('-c --config -u --template -o -b --depth --reference'));
  const has = createOptionLookup(flags);
  if (has('--template', '--separate-git-dir', '-u', '--upload-pack', '--bundle-uri'))
    return ask('a template or another program adds code that git runs');
  for (const { flag, value } of all) {
    const finding = flag === '-c' || flag === '--config' ? judgeSetting(value) : undefined;
    if (finding) return finding;
  }
  return rest.some((word) => !word.startsWith('-') && protectedPlace(word, command, context))
    ? ask('it writes into a protected place')
    : undefined;
}

function judgeSetting(setting: Word, isPassing = true): ShellFinding | undefined {
  const at = setting.indexOf('=');
  const key = at < 0 ? setting : setting.slice(0, at);
  const value = at < 0 ? '' : setting.slice(at + 1);
  if (isPassing && REWRITING_SETTING.test(key))
    return ask(`the git setting ${showWord(key)} can make it rewrite or drop commits`);
  if (HARMLESS_SETTING.test(key) && isKnown(key)) return undefined;
  if (DANGEROUS_SETTING.test(key) || !isKnown(key)) {
    if (HARMLESS_VALUE.test(value) && at >= 0 && !/^(?:alias|include)/i.test(key)) return undefined;
    return ask(`the git setting ${showWord(key)} can start a program or change where git works`);
  }
  return undefined;
}

const isEverywhere = (word: Word) => /^(?:\.\/?|:\/|:\(top\)|:\(glob\)\*\*|:)$/.test(word) || isBroad(toGlobWord(word));

function judgeSubcommand(name: Word, rest: Word[]): ShellFinding | undefined {
  const { flags, rest: words } = readOptions(rest, toList('-m --message -F -C -b -B -s --source -e --exclude'));
  const has = createOptionLookup(flags);
  switch (name) {
    case 'clean':
      return has('-f', '--force') && !has('-n', '--dry-run') ? ask('it deletes untracked files') : undefined;
    case 'checkout':
      if (has('-f', '--force')) return ask('it discards uncommitted changes');
      return words.some((word) => isEverywhere(word)) ? ask('it discards all uncommitted changes') : undefined;
    case 'switch':
      return has('-f', '--force', '--discard-changes') ? ask('it discards uncommitted changes') : undefined;
    case 'restore':
      if (has('--staged', '-S') && !has('--worktree', '-W')) return undefined;
      return words.some((word) => isEverywhere(word) || isDynamic(word))
        ? ask('it discards all uncommitted changes')
        : undefined;
    case 'rm':
      return !has('--cached') && words.some((word) => isEverywhere(word) || word.endsWith('/.'))
        ? ask('it deletes every file of the repository')
        : undefined;
    case 'remote':
      return /^(?:add|set-url|update|rename|remove|rm|prune|set-head|show)$/.test(words[0] ?? '')
        ? ask('it changes or reaches other repositories')
        : undefined;
    case 'submodule':
      if (words[0] === 'update' && !has('--force', '-f', '--rebase', '--merge', '--checkout', '--remote'))
        return askNetwork('it reaches other repositories');
      return /^(?:add|update|set-url|deinit|sync)$/.test(words[0] ?? '')
        ? ask('it reaches other repositories')
        : undefined;
    case 'hook':
      return ask('it runs the hooks of the repository');
    case 'init':
      return rest.some((arg) => arg.startsWith('--template') || arg.startsWith('--separate-git-dir'))
        ? ask('a template adds hooks')
        : undefined;
    case 'difftool':
    case 'mergetool':
    case 'instaweb':
    case 'web--browse':
      return ask(`git ${name} starts a program`);
    case 'archive':
      return has('--remote', '--exec') ? ask('it reaches another repository') : undefined;
    case 'config':
      return judgeConfig(rest);
    default:
      return undefined;
  }
}

function judgeConfig(rest: readonly Word[]): ShellFinding | undefined {
  const { flags, rest: words } = readOptions(rest, ['-f', '--file', '--blob', '--type', '--default']);
  const has = (...names: string[]) => names.some((flag) => flags.has(flag));
  const [verb = ''] = words;
  const names = /^(?:set|get|list|unset)$/.test(verb) ? words.slice(1) : words;
  const isListing = has('--get', '-l', '--list', '--get-all', '--get-regexp') || /^(?:get|list)$/.test(verb);
  const isReading = names.length === 1 && !/^(?:set|unset)$/.test(verb) && !has('--unset', '--edit', '-e');
  if (isListing || isReading) return undefined;
  if (has('--global', '--system', '-e', '--edit')) return ask('it changes Git settings that every repository reads');
  if (has('-f', '--file')) return ask('it writes Git settings to a file');
  const setting = `${names[0] ?? ''}=${names[1] ?? ''}`;
  return isKnown(names[0] ?? '')
    ? judgeSetting(setting, false)
    : askUnknown('the git setting is only known at run time');
}
