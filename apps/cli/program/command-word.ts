import { findNearWord } from './near-word.ts';
import { UsageError } from './report-error.ts';

/** What somebody means who types a command that other programs have. */
const MEANT: Readonly<Record<string, string>> = {
  auth: 'Klaus has no login. It reads a key from the environment, such as ANTHROPIC_API_KEY; klaus doctor shows which are set.',
  chat: 'A session begins with its first prompt: klaus "fix the failing test".',
  history: 'klaus sessions lists them; klaus show ID shows one.',
  install: 'klaus doctor --install installs what is missing.',
  list: 'klaus sessions lists the sessions.',
  mcp: 'Klaus has no MCP client yet.',
  plugin: 'Klaus has no plugins. Programs extend it through its SDK: docs/sdk.md.',
  review: 'klaus diff shows what a session changed. As a prompt, say what to review: klaus "review the last commit".',
  settings: 'klaus init sets your own limits; klaus config shows every setting; klaus doctor says what is missing.',
  status: 'klaus sessions lists the sessions; klaus doctor says whether a run can begin.',
  update: 'npm install --global klaus@latest updates an installed Klaus, and git pull a clone.',
  version: 'klaus --version prints it.',
};

const SAME: Readonly<Record<string, string>> = {
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

/** Words that begin no sentence: a command is meant however many follow. */
const NO_VERBS = ['mcp', 'login', 'logout', 'whoami'];

/**
 * A word where a command was meant must not become a prompt: that would cost money and change files. Only one word
 * alone that has the form of a command is taken for one, and a near miss of a command's name.
 *
 * @param options.names Of the commands that there are.
 * @param options.isFirst True when nothing stands before the word: behind `--continue` it is an answer.
 * @throws UsageError with what is meant, and how the word is sent as a prompt.
 */
export function checkCommandWord(
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
  const near = findNearWord(word, names);
  if (near !== undefined) throw new UsageError(`There is no command ${word}. Did you mean ${near}?`, asPrompt);
  const isCommand =
    words.length === 1 ? word.length <= 20 && /^[a-z][a-z\d]*(?:-[a-z\d]+)*$/i.test(word) : NO_VERBS.includes(word);
  if (!isFirst || !isCommand) return;
  const known = word.toLowerCase();
  const foreign = findNearWord(known, [...Object.keys(MEANT), ...Object.keys(SAME)]) ?? known;
  const meant = MEANT[SAME[foreign] ?? foreign] ?? 'klaus --help lists the commands.';
  throw new UsageError(`There is no command ${word}.`, `${meant} ${asPrompt}`);
}
