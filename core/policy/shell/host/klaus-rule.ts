import { deny, type ShellFinding } from '../rules/command-rule.ts';
import { ask } from '../rules/command-rule.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { isKnown, showWord, type Word } from '../expansion/word.ts';
import { toSet } from '../../word-list.ts';
import type { HostFacts } from './host-facts.ts';
import { canBeIn, contains, toHostPaths } from './host-words.ts';
import { isBelow } from '../../path.ts';

/** Commands of Klaus that only show something. Every other one is denied, except those that start an agent. */
const SHOWS = toSet(
  'agents list|agents show|agents grants|approvals|attention|audit|audit show|audit verify|completion|config explain|config get|config list|config path|copies|db check|db status|diff|doctor|export|gate test|grants|guard doctor|guard explain|guard log|guard status|help|hooks list|instances|logs|mcp list|memory list|model list|models|policy check|policy show|projects|ps|replay|sandbox list|secrets check|secrets scan|sessions|show|skills list|skills show|status|usage|version|watch'
    .replaceAll(' ', '_')
    .replaceAll('|', ' '),
);
/** Commands that start or drive an agent. */
const STARTS = toSet('run start chat resume message steer attach acp wrap claude demo worker');
/** Options with which an agent that it starts has more authority. */
const WIDENS = /^--?(?:approve|sandbox|grant|allow|allow-.*|yolo|add-dir|env|trust.*|no-guard|mcp-config)(?:=|$)/;
/** Programs that only name what is in a folder. */
const NAMES_ONLY = toSet(
  'ls stat test [ tree file basename dirname realpath readlink cd pushd echo printf which type du',
);

/** Klaus's own command line and state, which decide what an agent may do. */
export function judgeKlaus(command: SimpleCommand, host: HostFacts): ShellFinding | undefined {
  return judgeCommandLine(command) ?? judgeState(command, host);
}

/** True for a program that is Klaus, by its name or its path. */
function findWords({ name, argv }: SimpleCommand): readonly Word[] | undefined {
  if (/^klaus(?:-cli)?(?:\.(?:[cm]?js|ts|exe|cmd))?$/i.test(name)) return argv.slice(1);
  // node …/klaus/dist/main.js, apps/cli/main.ts
  const at = argv.findIndex(
    (word, index) =>
      index > 0 &&
      /(?:^|\/)(?:klaus|@klaus)(?:\/[\w.-]+)*\/[\w.-]+\.[cm]?[jt]s$|(?:^|\/)apps\/cli\/main\.[jt]s$/.test(word),
  );
  return at > 0 && /^(?:node|nodejs|bun|deno|tsx|ts-node)[\d.]*$/.test(name) ? argv.slice(at + 1) : undefined;
}

function judgeCommandLine(command: SimpleCommand): ShellFinding | undefined {
  // `npx klaus`: the wrapper is recorded with the name of the program.
  const words = findWords(command);
  if (!words) return undefined;
  const plain = words.filter((word) => !word.startsWith('-'));
  const flags = words.filter((word) => word.startsWith('-'));
  if (words.some((word) => !isKnown(word[0] ?? 'x'))) return deny('the command of Klaus is only known at run time');
  if (flags.some((flag) => /^--?(?:help|h|version|V)$/.test(flag))) return undefined;
  const [first = '', second = ''] = plain;
  if (SHOWS.has(`${first}_${second}`) || SHOWS.has(first)) return undefined;
  if (first === '' || STARTS.has(first) || !/^[a-z][a-z-]*$/.test(first)) {
    const wide = flags.find((flag) => WIDENS.test(flag));
    return wide === undefined
      ? ask('it starts an agent of Klaus')
      : deny(`${showWord(wide)} gives an agent of Klaus more authority`);
  }
  return deny(`klaus ${showWord(first)} can change what an agent may do, answer its questions, or show a key`);
}

function judgeState(command: SimpleCommand, host: HostFacts): ShellFinding | undefined {
  const { name, argv, redirects, assignments } = command;
  const reads = !NAMES_ONLY.has(name);
  const words = [...(reads ? argv.slice(1) : []), argv[0] ?? '', ...redirects.map(({ target }) => target)];
  for (const word of words) {
    if (/\bKLAUS_(?:HOME|SERVER_TOKEN|TOKEN|MCP_TOKEN)\b/.test(word))
      return deny(`${showWord(word)} names the state of Klaus`);
    for (const path of toHostPaths(word, command, host))
      for (const folder of host.state)
        if (isState(path, folder, host)) return deny(`${showWord(word)} is, or can be, in the state folder of Klaus`);
        else if (DESTROYS.has(name) && contains(path, folder))
          return deny(`${showWord(word)} contains the state folder of Klaus`);
  }
  for (const { name: variable } of assignments)
    if (/^KLAUS_(?!LOG|NO_COLOR)/.test(variable)) return deny(`${variable} changes what Klaus does`);
  return undefined;
}

/** A working copy of a session is in the state folder, and its files are the project. */
function isState(path: Word, folder: string, host: HostFacts): boolean {
  const { workspace } = host;
  if (!canBeIn(path, folder)) return false;
  if (workspace === folder || !isBelow(workspace, folder) || !isBelow(path, workspace)) return true;
  const real = host.toReal(path);
  return isBelow(real, folder) && !isBelow(real, host.toReal(workspace));
}

const DESTROYS = toSet('rm mv chmod chown rsync');
