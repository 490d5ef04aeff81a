import { createOptionLookup, judgeRewrite } from './git-rewrite.ts';
import type { ShellFinding } from './command-rule.ts';
import { readOptions } from '../programs/options.ts';
import type { SimpleCommand } from '../reading.ts';
import { isBroad, protectedPlace, type ShellContext } from './target.ts';
import { isDynamic, isKnown, showWord, toGlobWord, type Word } from '../expansion/word.ts';

/** Settings that make git start programs, read other settings or change where it works. */
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
 * What stands behind `git` in a command; undefined for another program. `git-reset` in git's own folder of programs is
 * `git reset`.
 */
export function readGitWords({ argv, name }: Pick<SimpleCommand, 'argv' | 'name'>): Word[] | undefined {
  const own = /^git-([a-z][a-z-]*)$/.exec(name)?.[1];
  if (name !== 'git' && own === undefined) return undefined;
  return [...(own === undefined ? [] : [own]), ...argv.slice(1)];
}

/** Git: what loses work, what leaves the machine, and what makes git start other programs. */
export function judgeGit(command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const args = readGitWords(command);
  if (!args) return undefined;
  const ask = (reason: string): ShellFinding => ({ verdict: 'ask', reason });
  let at = 0;
  for (; at < args.length && (args[at] ?? '').startsWith('-'); at++) {
    const arg = args[at] ?? '';
    if (arg === '-c' || arg === '--config-env' || arg.startsWith('--config-env=')) {
      const finding = judgeSetting(arg.includes('=') ? arg.slice(13) : (args[++at] ?? ''));
      if (finding) return finding;
    } else if (/^--exec-path=|^--git-dir|^--work-tree|^--namespace/.test(arg))
      return ask(`git is pointed elsewhere by ${showWord(arg)}`);
    else if (arg === '-C') at++;
  }
  const name = args[at] ?? '';
  const rest = args.slice(at + 1);
  if (name !== '' && !isKnown(name)) return ask('the git command is only known when it runs');
  if (
    rest.some((arg) => arg.startsWith('ext::') || /^--(?:upload-pack|receive-pack|exec)(?:=|$)/.test(arg)) &&
    name !== 'rebase'
  )
    return ask('git is told to start another program');
  if (NETWORK.test(name)) {
    if (name === 'push' && overwrites(rest))
      return { verdict: 'deny', reason: 'it overwrites or deletes what others have' };
    const finding = judgeRewrite(name, rest) ?? (name === 'clone' ? judgeClone(rest, command, context) : undefined);
    if (finding) return finding;
    const reason = `git ${name} reaches another repository`;
    if (!FAILS_OFFLINE.test(name) || !rest.every(isKnown)) return ask(reason);
    return { verdict: 'ask', reason, needs: 'network', worksOffline: name === 'push' };
  }
  if (HARD_TO_UNDO.test(name)) return ask(`git ${name} changes history or refs below git's own protections`);
  return judgeRewrite(name, rest) ?? judgeSubcommand(name, rest);
}

function overwrites(rest: readonly Word[]): boolean {
  const has = createOptionLookup(readOptions(rest, ['-o', '--push-option', '--repo']).flags);
  return (
    has('-f', '--force', '--force-with-lease', '--force-if-includes', '--mirror', '--delete', '-d', '--prune') ||
    rest.some((arg) => /^\+|^:./.test(arg))
  );
}

function judgeClone(rest: readonly Word[], command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const { all, flags } = readOptions(rest, [
    '-c',
    '--config',
    '-u',
    '--template',
    '-o',
    '-b',
    '--depth',
    '--reference',
  ]);
  const has = createOptionLookup(flags);
  if (has('--template', '--separate-git-dir', '-u', '--upload-pack', '--bundle-uri'))
    return { verdict: 'ask', reason: 'a template or another program brings code that git runs' };
  for (const { flag, value } of all) {
    const finding = flag === '-c' || flag === '--config' ? judgeSetting(value) : undefined;
    if (finding) return finding;
  }
  return rest.some((word) => !word.startsWith('-') && protectedPlace(word, command, context))
    ? { verdict: 'ask', reason: 'it writes into a protected place' }
    : undefined;
}

function judgeSetting(setting: Word, isPassing = true): ShellFinding | undefined {
  const at = setting.indexOf('=');
  const key = at < 0 ? setting : setting.slice(0, at);
  const value = at < 0 ? '' : setting.slice(at + 1);
  if (isPassing && REWRITING_SETTING.test(key))
    return { verdict: 'ask', reason: `the git setting ${showWord(key)} can make it rewrite or drop commits` };
  if (HARMLESS_SETTING.test(key) && isKnown(key)) return undefined;
  if (DANGEROUS_SETTING.test(key) || !isKnown(key)) {
    if (HARMLESS_VALUE.test(value) && at >= 0 && !/^(?:alias|include)/i.test(key)) return undefined;
    return { verdict: 'ask', reason: `the git setting ${showWord(key)} can start a program or change where git works` };
  }
  return undefined;
}

const isEverywhere = (word: Word) => /^(?:\.\/?|:\/|:\(top\)|:\(glob\)\*\*|:)$/.test(word) || isBroad(toGlobWord(word));

function judgeSubcommand(name: Word, rest: Word[]): ShellFinding | undefined {
  const ask = (reason: string): ShellFinding => ({ verdict: 'ask', reason });
  const { flags, rest: words } = readOptions(rest, [
    '-m',
    '--message',
    '-F',
    '-C',
    '-b',
    '-B',
    '-s',
    '--source',
    '-e',
    '--exclude',
  ]);
  const has = createOptionLookup(flags);
  switch (name) {
    case 'clean':
      return has('-f', '--force') && !has('-n', '--dry-run')
        ? ask('it deletes files that git does not know')
        : undefined;
    case 'checkout':
      if (has('-f', '--force')) return ask('it throws away changes that are not committed');
      return words.some((word) => isEverywhere(word))
        ? ask('it throws away every change that is not committed')
        : undefined;
    case 'switch':
      return has('-f', '--force', '--discard-changes')
        ? ask('it throws away changes that are not committed')
        : undefined;
    case 'restore':
      if (has('--staged', '-S') && !has('--worktree', '-W')) return undefined;
      return words.some((word) => isEverywhere(word) || isDynamic(word))
        ? ask('it throws away every change that is not committed')
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
        return { ...ask('it reaches other repositories'), needs: 'network' };
      return /^(?:add|update|set-url|deinit|sync)$/.test(words[0] ?? '')
        ? ask('it reaches other repositories')
        : undefined;
    case 'hook':
      return ask('it runs the hooks of the repository');
    case 'init':
      return rest.some((arg) => arg.startsWith('--template') || arg.startsWith('--separate-git-dir'))
        ? ask('a template brings hooks')
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
  const names =
    words[0] === 'set' || words[0] === 'get' || words[0] === 'list' || words[0] === 'unset' ? words.slice(1) : words;
  const reads =
    flags.has('--get') ||
    flags.has('-l') ||
    flags.has('--list') ||
    flags.has('--get-all') ||
    flags.has('--get-regexp') ||
    words[0] === 'get' ||
    words[0] === 'list';
  if (
    reads ||
    (names.length === 1 &&
      words[0] !== 'set' &&
      words[0] !== 'unset' &&
      !flags.has('--unset') &&
      !flags.has('--edit') &&
      !flags.has('-e'))
  )
    return undefined;
  if (flags.has('--global') || flags.has('--system') || flags.has('-e') || flags.has('--edit'))
    return { verdict: 'ask', reason: 'it changes settings of git that every repository reads' };
  if (flags.has('-f') || flags.has('--file'))
    return { verdict: 'ask', reason: 'it writes settings of git into a file' };
  const setting = `${names[0] ?? ''}=${names[1] ?? ''}`;
  return isKnown(names[0] ?? '')
    ? judgeSetting(setting, false)
    : { verdict: 'ask', reason: 'the git setting is only known when it runs' };
}
