import { PLUGIN_MARK } from '../judge-once.ts';
import { EVENTS, toEntry } from './settings-file.ts';

/** The hooks of the plugin of Claude Code: the same entries as those of an installation, with the script of the plugin. */
export function toPluginHooks(): object {
  // Claude Code replaces the variable. Quoted, so that the path can contain spaces.
  const script = '/bin/sh "${CLAUDE_PLUGIN_ROOT}"/hooks/guard';
  return {
    description: 'Klaus judges each call before it runs.',
    hooks: Object.fromEntries(EVENTS.map((event) => [event, [toEntry(event, `${script} ${event}`)]])),
  };
}

/**
 * The script of the plugin. The hook program knows paths of the machine, so it is not a part of the plugin: Klaus writes
 * it when it is missing, and at the start of a session for its present version.
 */
export const PLUGIN_SCRIPT = `#!/bin/sh
# Starts the hook program of Klaus. Written by \`npm run docs\`.
hook=\${KLAUS_HOME:-$HOME/.klaus}/guard/hook
if [ ! -x "$hook" ] || [ "\${1-}" = SessionStart ]; then
  PATH=$PATH:/usr/local/bin:/opt/homebrew/bin klaus guard hook --write </dev/null >/dev/null || {
    echo 'klaus guard: the hook could not be written. Is klaus on the PATH?' >&2
    exit 1
  }
fi
# By this mark, Klaus knows that an event comes from the plugin.
CLAUDE_PROJECT_DIR=\${CLAUDE_PROJECT_DIR:+$CLAUDE_PROJECT_DIR${PLUGIN_MARK}}
export CLAUDE_PROJECT_DIR
exec "$hook" "$@"
`;
