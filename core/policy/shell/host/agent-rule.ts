import { ask, type ShellFinding } from '../rules/command-rule.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { toSet } from '../../word-list.ts';

/** Programs that are agents: what they do is judged by no gate, or by another one. */
export const AGENT_PROGRAMS: ReadonlySet<string> = toSet(
  'claude claude-code codex gemini gemini-cli opencode aider cursor-agent agent amp goose crush qwen qwen-code droid copilot copilot-cli kilo kilocode kiro kiro-cli cline roo auggie plandex openhands swe-agent mini-swe-agent gptme interpreter open-interpreter continue cn q amazon-q devin windsurf trae-cli trae iflow forge codebuff letta mux pi kimi kimi-cli vibe mistral-vibe ollama llm sgpt shell-gpt tgpt mods fabric cody tabby rovodev acli junie warp-cli oz vtcode neovate deepagents hermes nanocoder codel rawdog gpt-engineer gpte aichat',
);
/** Their packages, for `npx`. */
const PACKAGES =
  /^(?:@anthropic-ai\/claude-code|@openai\/codex|@google\/gemini-cli|opencode-ai|@sourcegraph\/amp|@charmland\/crush|@qwen-code\/qwen-code|@github\/copilot|@augmentcode\/auggie|cline|@kilocode\/cli|aider-chat|@continuedev\/cli|@block\/goose|@factory\/cli)(?:@|$)/;
/** Programs with one of these names are agents only with these arguments. */
const ONLY_WITH: Readonly<Record<string, RegExp>> = {
  ollama: /^(?:run|launch)$/,
  q: /^(?:chat|translate)$/,
  agent: /^(?:-p|--print|--force|-f|chat|login)$/,
  continue: /^-/,
  forge: /^(?:-p|--prompt|--agent)$/,
  amp: /^(?:-x|--execute|login|threads|--dangerously-allow-all)$/,
  pi: /^(?:-p|--print|--mode)$/,
  vibe: /^-/,
  fabric: /^(?:-p|--pattern)$/,
  warp: /^agent$/,
  acli: /^rovodev$/,
  hermes: /^(?:chat|run)$/,
  mods: /./,
  junie: /./,
};
/** Arguments with which an agent only shows something about itself. */
const SHOWS = /^(?:--version|-v|-V|--help|-h|version|help|doctor|update-check)$/;

/** Programs that press keys, or write to the terminals of others. */
const TYPES: ReadonlySet<string> = toSet('xdotool ydotool wtype dotool xte wall write cliclick osascript AutoHotkey');
const SENDS_KEYS = /^(?:send-text|send-key|send-keys|write-chars|write|stuff|-X)$/;

/** Other agents, and Claude Code without the guard. */
export function judgeAgents({ name, argv, assignments, redirects }: SimpleCommand): ShellFinding | undefined {
  const setting = assignments.find(({ name: variable }) =>
    /^CLAUDE_(?:CONFIG_DIR|CODE_\w*(?:SETTINGS|HOOK|SIMPLE|BARE)\w*)$/.test(variable),
  );
  if (setting) return ask(`${setting.name} gives Claude Code other settings, without the guard`);
  const words = argv.slice(1);
  if (
    TYPES.has(name) ||
    (name === 'wezterm' && words.includes('send-text')) ||
    (/^(?:kitty|zellij|tmux|screen)$/.test(name) && words.some((word) => SENDS_KEYS.test(word)))
  )
    return ask(`${name} types into other windows`);
  const terminal = redirects.find(({ operator, target }) => operator.includes('>') && target.startsWith('/dev/pts/'));
  if (terminal) return ask(`it writes to ${terminal.target}, a terminal`);
  if (/^(?:pgrep|pidof)$/.test(name) && words.some((word) => /klaus|claude|guard/i.test(word)))
    return ask('it looks for the processes of the guard or of Claude Code');
  // `npx NAME` records the name with the wrapper.
  const found = [name, ...words].find((word, at) => {
    const plain = word.slice(word.lastIndexOf('/') + 1);
    return at === 0
      ? isAgent(plain, words)
      : PACKAGES.test(word) && /^(?:npx|bunx|npm|pnpm|yarn|bun|uvx|pipx|uv|deno)$/.test(name);
  });
  if (found !== undefined) {
    const isReading = words.length > 0 && words.every((word) => SHOWS.test(word));
    return isReading ? undefined : ask(`${found} is another agent: what it does is not judged`);
  }
  // GitHub's program starts one.
  if (name === 'gh' && /^(?:copilot|agent-task|models)$/.test(words[0] ?? '')) return ask('gh starts another agent');
  return undefined;
}

function isAgent(name: string, words: readonly string[]): boolean {
  const plain = name.replace(/\.(?:exe|cmd|[cm]?js)$/i, '').toLowerCase();
  if (!AGENT_PROGRAMS.has(plain) && !/^claude-(?:linux|darwin|win32)/.test(plain)) return false;
  const only = Object.hasOwn(ONLY_WITH, plain) ? ONLY_WITH[plain] : undefined;
  return only === undefined || words.some((word) => only.test(word));
}
