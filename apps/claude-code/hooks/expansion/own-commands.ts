/**
 * Slash commands of Claude Code itself, which have no file. Source: 2.1.197 and 2.1.332. A missing one is asked about, and
 * one with the name of a file that the guard cannot find is taken for that of Claude Code.
 */
const OWN = new Set(
  'access add-dir advisor agents artifacts auto-mode-setup autocompact autofix-pr background batch branch brief btw bug cd chrome claude-api clear cloud-plugins color commit commit-push-pr compact config context copy cost daemon debug deep-research design-consent design-login design-revoke desktop diff doctor effort exit export extra-usage fast feedback focus fork goal heapdump help hooks ide import init init-verifiers insights install install-github-app install-slack-app keybindings keybindings-help login logout loop loops mcp memory mobile model output-style passes pause-memory permissions plan plugin powerup pr-comments privacy-settings pro-trial-expired project quit radio rate-limit-options recap release-notes reload-plugins reload-skills remote-control remote-env rename restart resume review rewind run sandbox schedule scroll-speed security-review session settings setup-bedrock setup-vertex simplify skill-doctor skills stats status statusline stickers stop subtask tasks team-onboarding teleport terminal-setup theme todos tui ultraplan ultrareview update update-config upgrade usage usage-credits use-case verify version vim voice web-setup wellbeing workflow-launch-exec workflows'.split(
    ' ',
  ),
);

/** True for a command without a file of the user or the project: of Claude Code, or a prompt of an MCP server. */
export function isOwnCommand(name: string): boolean {
  return OWN.has(name) || name.startsWith('mcp__');
}
