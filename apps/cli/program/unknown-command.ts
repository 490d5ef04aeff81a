import { toNearest } from '@klaus/sdk';
import { fstatSync } from 'node:fs';
import { UsageError } from './cli-error.ts';

/** Commands of other programs, and what Klaus has instead. */
const ALTERNATIVES: Readonly<Record<string, string>> = {
  auth: '`klaus login` stores a key of a provider; `klaus doctor` shows which are set, such as by ANTHROPIC_API_KEY.',
  chat: '`klaus chat` starts a chat. A session starts with its first prompt: klaus "fix the failing test".',
  history: '`klaus sessions` lists the sessions; `klaus show ID` shows one.',
  install: '`klaus doctor --install` installs missing programs.',
  list: '`klaus sessions` lists the sessions.',
  plugin: '`klaus skills`, `klaus mcp` and `klaus hooks` extend Klaus, and its SDK for programs: docs/sdk.md.',
  review:
    '`klaus diff` shows the changes of a session. As a prompt, name what to review: klaus "review the last commit".',
  settings: '`klaus init` sets your limits; `klaus config` shows every setting, and `klaus config set` changes one.',
  update: '`npm install --global klaus@latest` updates an installed Klaus, and `git pull` a clone.',
  version: '`klaus --version` prints it.',
};

const SYNONYMS: Readonly<Record<string, string>> = {
  account: 'auth',
  code: 'chat',
  extensions: 'plugin',
  login: 'auth',
  logout: 'auth',
  ls: 'list',
  plugins: 'plugin',
  setup: 'settings',
  configure: 'settings',
  start: 'chat',
  'self-update': 'update',
  upgrade: 'update',
  whoami: 'auth',
};

/** Words that start no sentence: they mean a command, also when other words follow. */
const NO_PROMPTS = ['login', 'logout', 'whoami'];

/**
 * Refuses a prompt that was meant as a command, because a prompt costs money and changes files: a misspelled command, a
 * command of other programs, and the name of an agent. Any other word is a prompt.
 *
 * @param options.names Of the existing commands.
 * @param options.isFirst True if the words begin the line. After `--continue`, a word is an answer.
 * @param options.hasInput True if a program or a file gives further text, as in `git diff | klaus review`.
 * @param options.listAgents Names of the defined agents.
 * @throws UsageError with the probable meaning, and how the words are sent as a prompt.
 */
export async function checkPromptWords(
  words: readonly string[],
  {
    names,
    isFirst,
    hasInput,
    listAgents,
  }: { names: readonly string[]; isFirst: boolean; hasInput: boolean; listAgents: () => Promise<readonly string[]> },
): Promise<void> {
  const [word] = words;
  if (word === undefined || /\s/.test(word)) return;
  const asPrompt = `As a prompt: klaus run -- ${words.length === 1 ? word : `"${words.join(' ')}"`}`;
  if (names.includes(word))
    throw new UsageError(
      'The command comes before its options.',
      `Write klaus ${word} first, then the options. ${asPrompt}`,
    );
  const similar = findSimilarCommand(word, names);
  if (similar !== undefined) throw new UsageError(`There is no command ${word}. Did you mean ${similar}?`, asPrompt);
  const isCommand =
    words.length === 1 ? word.length <= 20 && /^[a-z][a-z\d]*(?:-[a-z\d]+)*$/i.test(word) : NO_PROMPTS.includes(word);
  if (!isFirst || !isCommand || (hasInput && !NO_PROMPTS.includes(word))) return;
  if (words.length === 1 && (await listAgents()).includes(word))
    throw new UsageError(
      `There is no command ${word}. There is an agent ${word}.`,
      `\`klaus chat ${word}\` chats with it; \`klaus start ${word} "…"\` gives it a task. ${asPrompt}`,
    );
  const known = word.toLowerCase();
  const foreign = findSimilarCommand(known, [...Object.keys(ALTERNATIVES), ...Object.keys(SYNONYMS)]);
  const alternative = foreign === undefined ? undefined : ALTERNATIVES[SYNONYMS[foreign] ?? foreign];
  if (alternative === undefined) return;
  throw new UsageError(`There is no command ${word}.`, `${alternative} ${asPrompt}`);
}

/** True if standard input is a pipe or a file. The socket that a program leaves open for it is neither. */
export function hasPipedInput(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || (input.isFile() && input.size > 0);
  } catch {
    return false;
  }
}

/** Names of the agents of a folder. None if Klaus cannot be opened there: the caller has another error to report. */
export async function listAgentNames(cwd: string): Promise<readonly string[]> {
  try {
    const { openKlaus } = await import('../client/open-klaus.ts');
    await using klaus = await openKlaus({ cwd });
    return (await klaus.agents().list()).agents.map(({ definition }) => definition.name);
  } catch {
    return [];
  }
}

/**
 * The candidate that `word` is probably a misspelling of: it differs by one character in a short word, by two in a
 * longer one, or by two swapped neighbours. A word with less similarity to a command is a prompt.
 */
export function findSimilarCommand(word: string, candidates: readonly string[]): string | undefined {
  const isLong = (candidate: string) => Math.min(word.length, candidate.length) >= 6;
  const isSwapped = (candidate: string) => toLetters(word) === toLetters(candidate);
  return toNearest(
    word,
    candidates.filter((candidate) => candidate.length > 2),
    { toLimit: (candidate) => (isLong(candidate) || isSwapped(candidate) ? 2 : 1) },
  );
}

function toLetters(word: string): string {
  return word.toLowerCase().split('').toSorted().join('');
}
