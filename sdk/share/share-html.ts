import { stripVTControlCharacters } from 'node:util';
import {
  createConversation,
  foldConversation,
  parseDiff,
  type CallEntry,
  type Conversation,
  type Entry,
  type FactEntry,
  type UserEntry,
} from '@klaus/core/conversation';
import type { Event, EventOf } from '@klaus/core/protocol';
import { describeCall } from '../transcript/describe-call.ts';
import { describeFact } from '../transcript/describe-fact.ts';
import { formatNumber, formatUsage, formatUsd } from '../transcript/format.ts';
import { escapeHtml, markdownToHtml } from './share-markdown.ts';
import { SHARE_STYLE } from './share-style.ts';

/** Nothing is loaded and nothing runs, regardless of the content. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Lines of one output or diff. */
const MAX_LINES = 2_000;

/**
 * A session as one HTML file without scripts and without addresses that are loaded. The events are shown as they are:
 * secrets and paths are replaced before.
 */
export function toSharedHtml(session: string, events: Iterable<Event>): string {
  const view = createConversation(session);
  for (const event of events) foldConversation(view, event);
  const title = view.title || firstPrompt(view) || `Session ${session}`;
  const body = view.entries.map((entry) => renderEntry(entry)).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${SHARE_STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p class="facts">${renderFacts(view)}</p>
${body}
</main>
</body>
</html>
`;
}

function firstPrompt({ entries }: Conversation): string {
  const first = entries.find((entry): entry is UserEntry => entry.kind === 'user');
  return first?.text.split('\n')[0]!.slice(0, 200) ?? '';
}

function renderFacts({ model, workspace, turns, toolCalls, usage, usd, entries }: Conversation): string {
  const begun = entries[0] ? new Date(entries[0].at).toISOString().slice(0, 16).replace('T', ' ') : '';
  const facts = [
    model,
    workspace,
    begun,
    formatNumber(turns, 'turn'),
    formatNumber(toolCalls, 'tool call'),
    formatUsage(usage),
    formatUsd(usd),
  ];
  return facts
    .filter((fact) => fact !== '')
    .map(escapeHtml)
    .join(' · ');
}

function renderEntry(entry: Entry): string {
  switch (entry.kind) {
    case 'user':
      return renderUser(entry);
    case 'model':
      return entry.text.trim() === '' ? '' : `<section><h2>Klaus</h2>${markdownToHtml(entry.text)}</section>`;
    case 'call':
      return renderCall(entry);
    case 'limit':
      return `<p class="fact">${escapeHtml(entry.asked.title)}: ${entry.answer?.answer ?? 'open'}</p>`;
    case 'fact':
      return renderFact(entry);
  }
}

function renderUser({ text, files, images }: UserEntry): string {
  const names =
    files.length === 0 ? '' : `<p class="facts">${files.map(({ name }) => escapeHtml(name)).join(', ')}</p>`;
  const shown = images
    .filter(({ mediaType, data }) => IMAGES.has(mediaType) && /^[A-Za-z0-9+/=]*$/.test(data))
    .map(({ mediaType, data }) => `<img alt="Attached image" src="data:${mediaType};base64,${data}">`);
  return `<section class="user">${escapeHtml(text)}${names}${shown.join('')}</section>`;
}

const LOOKS = { ok: 'good', error: 'bad', denied: 'warn', cancelled: 'muted', unknown: 'warn' } as const;

function renderCall({ name, input, result, diff, answer, decisions, by }: CallEntry): string {
  const outcome = result?.outcome ?? 'open';
  const look = result ? LOOKS[result.outcome] : 'muted';
  const who = by === 'user' ? ' <span class="muted">entered by the user</span>' : '';
  const parts = [`<pre>${escapeHtml(JSON.stringify(input, undefined, 2) ?? '')}</pre>`];
  const decision = decisions.at(-1);
  if (decision) parts.push(`<p class="fact">Gate: ${decision.verdict}, ${escapeHtml(decision.reason)}</p>`);
  if (answer) parts.push(`<p class="fact">${answer.answer}${answer.note ? `: ${escapeHtml(answer.note)}` : ''}</p>`);
  if (diff) parts.push(renderDiff(diff));
  if (result && result.output.trim() !== '') parts.push(`<pre>${escapeHtml(cut(toPlain(result.output)))}</pre>`);
  return `<details><summary><code>${escapeHtml(describeCall(name, input, 160))}</code> <span class="${look}">${outcome}</span>${who}</summary><div>${parts.join('')}</div></details>`;
}

const toPlain = (text: string) => stripVTControlCharacters(text).replaceAll(/\r\n?/g, '\n');

function cut(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= MAX_LINES) return text;
  return `${lines.slice(0, MAX_LINES).join('\n')}\n… ${formatNumber(lines.length - MAX_LINES, 'more line')}`;
}

const CLASSES: Readonly<Record<string, string>> = { '+': 'add', '-': 'del' };

function renderDiff(diff: string): string {
  const lines: string[] = [];
  let path = '';
  for (const hunk of parseDiff(diff)) {
    if (hunk.path !== path) lines.push(`<span class="muted">${escapeHtml((path = hunk.path))}</span>`);
    for (const line of hunk.lines) lines.push(`<span class="${CLASSES[line[0]!] ?? ''}">${escapeHtml(line)}</span>`);
    if (hunk.lines.length === 0 && hunk.note) lines.push(`<span class="muted">${escapeHtml(hunk.note)}</span>`);
  }
  const left = lines.length - MAX_LINES;
  const more = left > 0 ? `<span class="muted">… ${formatNumber(left, 'more line')}</span>` : '';
  return `<pre class="diff">${lines.slice(0, MAX_LINES).join('')}${more}</pre>`;
}

function renderFact({ event }: FactEntry): string {
  if (event.type === 'run.finished') return renderEnd(event);
  return describeFact(event)
    .map(({ text, detail }) => `<p class="fact">${escapeHtml(detail === undefined ? text : `${text} ${detail}`)}</p>`)
    .join('');
}

function renderEnd({ outcome, reason, evidence, claims = [], turns, toolCalls, usd }: EventOf<'run.finished'>): string {
  const look = outcome === 'done' ? 'good' : outcome === 'failed' || outcome === 'model_failed' ? 'bad' : 'warn';
  const facts = [formatNumber(turns, 'turn'), formatNumber(toolCalls, 'tool call'), formatUsd(usd)];
  const checks = evidence.map(({ command, exitCode }) => {
    const ended = exitCode === 0 ? 'passed' : exitCode === null ? 'ended by a signal' : `exit code ${exitCode}`;
    return `<p><code>${escapeHtml(command)}</code> <span class="${exitCode === 0 ? 'good' : 'bad'}">${ended}</span></p>`;
  });
  const said = claims.map(
    ({ said: text, status }) => `<p><q>${escapeHtml(text)}</q> <span class="muted">${escapeHtml(status)}</span></p>`,
  );
  const why = outcome === 'done' ? '' : `<p>${escapeHtml(reason)}</p>`;
  return `<section class="end"><p><strong class="${look}">${escapeHtml(outcome)}</strong> <span class="facts">${escapeHtml(facts.join(', '))}</span></p>${why}${checks.join('')}${said.join('')}</section>`;
}
