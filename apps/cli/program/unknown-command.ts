import { toNearest } from '@klaus/sdk';
import { UsageError } from './cli-error.ts';

/** Commands of other programs, and what Klaus has instead. */
const ALTERNATIVES: Readonly<Record<string, string>> = {
  auth: 'Klaus has no login. It reads a key from the environment, such as ANTHROPIC_API_KEY; `klaus doctor` shows which are set.',
  chat: '`klaus chat` starts a chat. A session starts with its first prompt: klaus "fix the failing test".',
  history: '`klaus sessions` lists the sessions; `klaus show ID` shows one.',
  install: '`klaus doctor --install` installs missing programs.',
  list: '`klaus sessions` lists the sessions.',
  mcp: 'Klaus has no MCP client yet.',
  plugin: 'Klaus has no plugins. Programs extend it through its SDK: docs/sdk.md.',
  review:
    '`klaus diff` shows the changes of a session. As a prompt, name what to review: klaus "review the last commit".',
  settings: '`klaus init` sets your limits; `klaus config` shows every setting; `klaus doctor` shows what is missing.',
  status: '`klaus sessions` lists the sessions; `klaus doctor` checks whether a run can start.',
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
const NO_PROMPTS = ['mcp', 'login', 'logout', 'whoami'];

/**
 * Refuses a prompt that was meant as a command, because a prompt costs money and changes files. A single word in the
 * form of a command is refused, and a misspelled command.
 *
 * @param options.names Of the existing commands.
 * @param options.isFirst True if the words begin the line. After `--continue`, a word is an answer.
 * @throws UsageError with the probable meaning, and how the words are sent as a prompt.
 */
export function checkPromptWords(
  words: readonly string[],
  { names, isFirst }: { names: readonly string[]; isFirst: boolean },
): void {
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
  if (!isFirst || !isCommand) return;
  const known = word.toLowerCase();
  const foreign = findSimilarCommand(known, [...Object.keys(ALTERNATIVES), ...Object.keys(SYNONYMS)]) ?? known;
  const alternative = ALTERNATIVES[SYNONYMS[foreign] ?? foreign] ?? '`klaus --help` lists the commands.';
  throw new UsageError(`There is no command ${word}.`, `${alternative} ${asPrompt}`);
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
