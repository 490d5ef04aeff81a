import { describeOutputPart } from './describe-output-part.ts';
import type { Entry } from './transcript.ts';

/**
 * One entry of a transcript as Markdown, with a blank line at its end.
 *
 * @param options.full The command that prints complete outputs, for the mark of an output of which a part is shown.
 */
export function toMarkdown(entry: Entry, { full }: { full?: string } = {}): string {
  switch (entry.kind) {
    case 'opened':
      return (
        `# Session ${entry.session}\n\n` +
        `- Workspace: ${code(entry.workspace)}\n- Model: ${code(entry.model)}\n- Mode: ${entry.mode}\n` +
        (entry.agent === undefined ? '' : `- Agent: ${entry.agent}\n`) +
        `- Sandbox: ${entry.sandbox}\n- Begun: ${new Date(entry.at).toISOString()}\n`
      );
    case 'user': {
      const attached = entry.attached.length === 0 ? '' : `\n\nAttached: ${entry.attached.map(code).join(', ')}`;
      return `## User${entry.steered ? ' (while it ran)' : ''}\n\n${entry.text}${attached}\n`;
    }
    case 'model':
      return `## Klaus\n\n${entry.text}\n`;
    case 'call': {
      const ended = entry.outcome === 'ok' ? '' : ` (${entry.outcome})`;
      const rest = full === undefined ? '' : ` ${code(full)} prints all of it.`;
      const mark = entry.part === undefined ? '' : `\n> ${describeOutputPart(entry.part)}.${rest}\n`;
      return `### ${code(entry.title)}${ended}, ${entry.duration}\n\n${fence(entry.output)}\n${mark}`;
    }
    case 'note':
    case 'evidence':
      return `> ${entry.text.replaceAll('\n', '\n> ')}\n`;
    case 'end':
      return `---\n\n**${entry.outcome}**: ${entry.reason}\n\n${entry.facts}\n`;
  }
}

/** Inline code, with a fence longer than any run of backticks inside. */
function code(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1);
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${text}${pad}${ticks}`;
}

function fence(text: string): string {
  const ticks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${ticks}\n${text}${text.endsWith('\n') ? '' : '\n'}${ticks}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((max, run) => Math.max(max, run.length), 0);
}
