import { headOf } from '@klaus/core/cut-text';
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
  toOutputPart,
} from '@klaus/core/conversation';
import type { Event, EventOf } from '@klaus/core/protocol';
import { describeCall } from '../transcript/describe-call.ts';
import { deShare } from './de-share.ts';
import { enShare, type ShareText } from './en-share.ts';
import { describeSharedFact } from './share-facts.ts';
import { escapeHtml, markdownToHtml } from './share-markdown.ts';
import { SHARE_STYLE } from './share-style.ts';

/** Nothing is loaded and nothing runs, regardless of the content. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Lines of one output or diff. */
const MAX_LINES = 2_000;

/** The languages of a shared session. */
export const SHARE_LANGUAGES = ['en', 'de'] as const;
export type ShareLanguage = (typeof SHARE_LANGUAGES)[number];

const TEXTS: Readonly<Record<ShareLanguage, ShareText>> = { en: enShare, de: deShare };

/** The events of a session and of its child sessions, as they are shown: secrets and paths are replaced before. */
export interface SharedSession {
  session: string;
  events: readonly Event[];
  /** By session. Absent: too many. */
  children: ReadonlyMap<string, SharedSession>;
}

/** A session as one HTML file without scripts and without addresses that are loaded. */
export function toSharedHtml(shared: SharedSession, language: ShareLanguage): string {
  const t = TEXTS[language];
  const view = toConversation(shared);
  const title = view.title || firstPrompt(view) || t.session(shared.session);
  return `<!doctype html>
<html lang="${t.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="x-dns-prefetch-control" content="off">
<title>${escapeHtml(title)}</title>
<style>${SHARE_STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p class="facts">${renderFacts(view, t)}</p>
${renderEntries(view, shared, t)}
</main>
</body>
</html>
`;
}

function toConversation({ session, events }: SharedSession): Conversation {
  const view = createConversation(session);
  for (const event of events) foldConversation(view, event);
  return view;
}

function renderEntries({ entries }: Conversation, { events, children }: SharedSession, t: ShareText): string {
  const opened = events.filter((event) => event.type === 'child.opened');
  return entries
    .flatMap((entry) => {
      const below = entry.kind === 'call' ? opened.filter(({ call }) => call === entry.id) : [];
      return [renderEntry(entry, t), ...below.map((child) => renderChild(child, children, t))];
    })
    .join('\n');
}

/** The conversation of a child session, folded. */
function renderChild(
  { agent, child }: EventOf<'child.opened'>,
  children: SharedSession['children'],
  t: ShareText,
): string {
  const shared = children.get(child);
  const view = shared && toConversation(shared);
  const body = shared && view ? renderEntries(view, shared, t) : `<p class="fact">${escapeHtml(t.childLeftOut)}</p>`;
  const facts = view ? ` <span class="facts">${renderFacts(view, t)}</span>` : '';
  return `<details class="child"><summary>${escapeHtml(t.child(agent))}${facts}</summary><div>${body}</div></details>`;
}

function firstPrompt({ entries }: Conversation): string {
  const first = entries.find((entry): entry is UserEntry => entry.kind === 'user');
  return headOf(first?.text.split('\n')[0] ?? '', 200);
}

function renderFacts(view: Conversation, t: ShareText): string {
  const { model, workspace, turns, toolCalls, usage, usd, held, entries } = view;
  const begun = entries[0] ? new Date(entries[0].at).toISOString().slice(0, 16).replace('T', ' ') : '';
  const facts = [
    model,
    workspace,
    begun,
    t.turns(turns),
    t.toolCalls(toolCalls),
    t.usage(usage),
    toCost(usd, held.usd, t),
  ];
  return facts
    .filter((fact) => fact !== '')
    .map(escapeHtml)
    .join(' · ');
}

function renderEntry(entry: Entry, t: ShareText): string {
  switch (entry.kind) {
    case 'user':
      return renderUser(entry, t);
    case 'model':
      return entry.text.trim() === '' ? '' : `<section><h2>Klaus</h2>${markdownToHtml(entry.text)}</section>`;
    case 'call':
      return renderCall(entry, t);
    case 'limit':
      return `<p class="fact">${escapeHtml(entry.asked.title)}: ${entry.answer ? t.answers[entry.answer.answer] : t.open}</p>`;
    case 'fact':
      return renderFact(entry, t);
  }
}

function renderUser({ text, files, images }: UserEntry, t: ShareText): string {
  const names =
    files.length === 0 ? '' : `<p class="facts">${files.map(({ name }) => escapeHtml(name)).join(', ')}</p>`;
  const shown = images
    .filter(({ mediaType, data }) => IMAGES.has(mediaType) && /^[A-Za-z0-9+/=]*$/.test(data))
    .map(({ mediaType, data }) => `<img alt="${t.image}" src="data:${mediaType};base64,${data}">`);
  return `<section class="user">${escapeHtml(text)}${names}${shown.join('')}</section>`;
}

const LOOKS = { ok: 'good', error: 'bad', denied: 'warn', cancelled: 'muted', unknown: 'warn' } as const;

function renderCall({ name, input, result, diff, answer, decisions, by }: CallEntry, t: ShareText): string {
  const outcome = result ? t.results[result.outcome] : t.open;
  const look = result ? LOOKS[result.outcome] : 'muted';
  const who = by === 'user' ? ` <span class="muted">${t.byUser}</span>` : '';
  const parts = [`<pre>${escapeHtml(JSON.stringify(input, undefined, 2) ?? '')}</pre>`];
  const decision = decisions.at(-1);
  if (decision) parts.push(`<p class="fact">${t.gate(decision.verdict)}, ${escapeHtml(decision.reason)}</p>`);
  if (answer)
    parts.push(`<p class="fact">${t.answers[answer.answer]}${answer.note ? `: ${escapeHtml(answer.note)}` : ''}</p>`);
  if (diff) parts.push(renderDiff(diff, t));
  if (result && result.output.trim() !== '') parts.push(`<pre>${escapeHtml(cut(toPlain(result.output), t))}</pre>`);
  const part = result && toOutputPart(result);
  if (part)
    parts.push(`<p class="fact">${escapeHtml(t.outputPart({ ...part, shown: Math.min(part.shown, MAX_LINES) }))}</p>`);
  return `<details><summary><code>${escapeHtml(describeCall(name, input, 160))}</code> <span class="${look}">${outcome}</span>${who}</summary><div>${parts.join('')}</div></details>`;
}

const toPlain = (text: string) => stripVTControlCharacters(text).replaceAll(/\r\n?/g, '\n');

function cut(text: string, t: ShareText): string {
  const lines = text.split('\n');
  if (lines.length <= MAX_LINES) return text;
  return `${lines.slice(0, MAX_LINES).join('\n')}\n${t.moreLines(lines.length - MAX_LINES)}`;
}

const CLASSES: Readonly<Record<string, string>> = { '+': 'add', '-': 'del' };

function renderDiff(diff: string, t: ShareText): string {
  const lines: string[] = [];
  let path = '';
  for (const hunk of parseDiff(diff)) {
    if (hunk.path !== path) lines.push(`<span class="muted">${escapeHtml((path = hunk.path))}</span>`);
    for (const line of hunk.lines) lines.push(`<span class="${CLASSES[line[0]!] ?? ''}">${escapeHtml(line)}</span>`);
    if (hunk.lines.length === 0 && hunk.note) lines.push(`<span class="muted">${escapeHtml(hunk.note)}</span>`);
  }
  const left = lines.length - MAX_LINES;
  const more = left > 0 ? `<span class="muted">${t.moreLines(left)}</span>` : '';
  return `<pre class="diff">${lines.slice(0, MAX_LINES).join('')}${more}</pre>`;
}

function renderFact({ event }: FactEntry, t: ShareText): string {
  if (event.type === 'run.finished') return renderEnd(event, t);
  const text = describeSharedFact(event, t);
  return text === undefined ? '' : `<p class="fact">${escapeHtml(text)}</p>`;
}

/** @param held What it may have cost in addition. Null: the price is unknown. */
function toCost(usd: number | null, held: number | null | undefined, t: ShareText): string {
  return usd !== null && held && held > 0 ? `≤ ${t.usd(usd + held)}` : t.usd(usd);
}

function renderEnd(event: EventOf<'run.finished'>, t: ShareText): string {
  const { outcome, reason, evidence, claims = [], turns, toolCalls, usd, held } = event;
  const look = outcome === 'done' ? 'good' : outcome === 'failed' || outcome === 'model_failed' ? 'bad' : 'warn';
  const facts = [t.turns(turns), t.toolCalls(toolCalls), toCost(usd, held?.usd, t)];
  const checks = evidence.map(({ command, exitCode }) => {
    const ended = exitCode === 0 ? t.checks.passed : exitCode === null ? t.checks.signal : t.checks.exit(exitCode);
    return `<p><code>${escapeHtml(command)}</code> <span class="${exitCode === 0 ? 'good' : 'bad'}">${ended}</span></p>`;
  });
  const said = claims.map(
    ({ said: text, status }) => `<p><q>${escapeHtml(text)}</q> <span class="muted">${t.claims[status]}</span></p>`,
  );
  const why = outcome === 'done' ? '' : `<p>${escapeHtml(reason)}</p>`;
  return `<section class="end"><p><strong class="${look}">${t.outcomes[outcome]}</strong> <span class="facts">${escapeHtml(facts.join(', '))}</span></p>${why}${checks.join('')}${said.join('')}</section>`;
}
