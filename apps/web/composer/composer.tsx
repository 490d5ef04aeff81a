import { toUlid } from '@klaus/core/protocol';
import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { trySend } from '../actions/attempt.ts';
import { showQuestion } from '../actions/question-actions.ts';
import { useSignal } from '../actions/use-signal.ts';
import { useAccess } from '../state/access.ts';
import { overlay } from '../state/overlay.ts';
import { isTouched } from '../keys/is-touched.ts';
import { useText } from '../text/text.ts';
import { toOptionId } from '../ui/option-list.tsx';
import { useChoice } from '../ui/use-choice.ts';
import { toParts } from './attachment.ts';
import { Attachments } from './attachments.tsx';
import { ComposerFoot } from './composer-foot.tsx';
import { Estimate } from './estimate.tsx';
import type { ComposerProps } from './composer-props.ts';
import { complete, findCompletion, type Completion } from './completion.ts';
import { CompletionList, type Suggestion } from './completion-list.tsx';
import { addToDraft, type Draft } from './drafts.ts';
import { takeNextFocus } from './next-focus.ts';
import { usePlaceholders } from './use-placeholders.ts';
import { useDraft } from './use-draft.ts';
import { useDrop } from './use-drop.ts';
import { setCaret, useHistory } from './history.ts';
import { toSentText } from './mcp-prompts.ts';
import { useSuggestions } from './use-suggestions.ts';
import './composer.css';

/** Sends an unconfirmed message again as soon as the page is online. */
function useResend(held: Draft['held'], send: (delivery: 'steer' | 'queue') => Promise<void>): void {
  useEffect(() => {
    if (held) void send(held.delivery);
  }, [held?.command]);
}

/** Focuses the field on request, and when it is shown if `isFocused` or if the previous page asked for it. */
function useFocus(field: RefObject<HTMLTextAreaElement | null>, isFocused: boolean): void {
  useSignal('focus-message', () => field.current?.focus());
  // Before the field is painted, so that no key is lost.
  useLayoutEffect(() => {
    const next = takeNextFocus();
    // A keyboard on the screen would cover the page.
    if (next?.onTouch || ((next || isFocused) && !isTouched())) field.current?.focus();
  }, [field, isFocused]);
}

/** The message field; a hint for a user who may only read. */
export function Composer(props: ComposerProps) {
  const t = useText();
  const isAllowed = useAccess('operator');
  return isAllowed ? <Editor {...props} /> : <p className="session-closed muted">{t.signIn.readOnly}</p>;
}

function Editor(props: ComposerProps) {
  const { draft: name, isRunning, isOnline, isAsked = false, isFocused = false, history } = props;
  const t = useText();
  const { draft, change, attach, paste } = useDraft(name);
  const [open, setOpen] = useState<Completion | undefined>();
  const { isDropping, drop } = useDrop((files) => void attach(files));
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const recall = useHistory(field, { history, text: draft.text, change: (text) => change({ text }) });
  const suggestions = useSuggestions(open, props.scope);
  const { at: chosen, choose, step } = useChoice(open ? suggestions.items.length : 0);
  useFocus(field, isFocused);
  const fillPlaceholder = usePlaceholders(field);
  const updateCompletion = () => {
    setOpen(findCompletion(field.current!.value, field.current!.selectionStart));
    choose(0);
  };
  const take = (suggestion: Suggestion | undefined) => {
    if (!suggestion || !open) return;
    setOpen(undefined);
    if (suggestion.insert !== undefined) {
      change({ text: suggestion.insert });
      return requestAnimationFrame(() => void fillPlaceholder(0));
    }
    if (suggestion.run) {
      change({ text: '' });
      return suggestion.run();
    }
    const done = complete(draft.text, open, suggestion.word);
    change({ text: done.text });
    setCaret(field, done.caret);
  };
  const { isSending, send } = useSending({ ...props, field, sent: () => recall.sent() });
  useResend(isOnline ? draft.held : undefined, send);
  const onKeyDown = (event: KeyboardEvent) => {
    const isPlain = !event.altKey && !event.shiftKey;
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : undefined;
    if (step(event.key)) return event.preventDefault();
    if (isAsked && isPlain && by === -1 && draft.text === '') {
      showQuestion();
      return event.preventDefault();
    }
    if (isPlain && !open && event.key === 'Tab' && fillPlaceholder()) return event.preventDefault();
    if (chosen >= 0 && isPlain && (event.key === 'Tab' || event.key === 'Enter')) take(suggestions.items[chosen]);
    else if (open && event.key === 'Escape') setOpen(undefined);
    else if (event.key === 'Escape') field.current?.blur();
    else if (isPlain && by !== undefined && recall.step(by)) setOpen(undefined);
    else if (event.key === 'Enter' && !event.shiftKey) void send(event.altKey && isRunning ? 'queue' : 'steer');
    else return;
    event.preventDefault();
  };
  return (
    <section
      className={`composer in-column ${isDropping ? 'composer-dropping' : ''}`}
      aria-label={t.composer.label}
      {...drop}
    >
      {open ? <CompletionList id={id} kind={open.kind} state={suggestions} chosen={chosen} onTake={take} /> : null}
      <p className="unseen" role="status">
        {t.lists.attachmentCount(draft.attachments.length)}
      </p>
      <Attachments attachments={draft.attachments} onRemove={(attachments) => change({ attachments })} />
      <textarea
        ref={field}
        className="composer-field"
        rows={2}
        aria-label={t.composer.label}
        placeholder={
          isAsked ? t.composer.placeholderAsked : isRunning ? t.composer.placeholderRunning : t.composer.placeholder
        }
        enterKeyHint="send"
        aria-controls={open ? id : undefined}
        aria-autocomplete="list"
        aria-activedescendant={toOptionId(id, chosen)}
        value={draft.text}
        onChange={(event) => {
          change({ text: event.target.value });
          updateCompletion();
        }}
        onSelect={updateCompletion}
        onBlur={() => setOpen(undefined)}
        onPaste={paste}
        onKeyDown={onKeyDown}
      />
      <Estimate text={draft.text} attachments={draft.attachments} model={props.model} />
      {draft.held ? <Held /> : null}
      <ComposerFoot
        {...props}
        onSpoken={(words) => addToDraft(name, words)}
        canSend={!isSending && (draft.text.trim() !== '' || draft.attachments.length > 0)}
        onPrompts={() => overlay.set({ kind: 'prompts', draft: name, scope: props.scope })}
        onAttach={(files) => void attach(files)}
        onSource={(source) => overlay.set({ kind: 'attach', source, draft: name, scope: props.scope })}
        onDeliver={(delivery) => void send(delivery)}
      />
    </section>
  );
}

interface Sending extends Pick<ComposerProps, 'draft' | 'scope' | 'onSend'> {
  field: RefObject<HTMLTextAreaElement | null>;
  /** Called when the message is accepted. */
  sent: () => void;
}

/** Sends the draft. It is cleared when it is accepted, and held when it may have arrived. */
function useSending({ draft: name, scope, onSend, field, sent: onSent }: Sending) {
  const { draft, change, hold } = useDraft(name);
  const [isSending, setSending] = useState(false);
  const send = async (delivery: 'steer' | 'queue') => {
    if (isSending || toParts(draft.text, draft.attachments).length === 0) return;
    const command = draft.held?.command ?? toUlid(Date.now(), crypto.getRandomValues(new Uint8Array(10)));
    setSending(true);
    let text: string | undefined;
    const read = await trySend(async () => (text = await toSentText(draft.text, scope)));
    const sent = text === undefined ? read : await onSend(toParts(text, draft.attachments), delivery, command);
    setSending(false);
    if (sent === 'accepted') {
      onSent();
      change({ text: '', attachments: [] });
      // The message may have arrived. The same command id makes the second request idempotent.
    } else if (sent === 'unknown') hold({ command, delivery });
    field.current?.focus();
  };
  return { isSending, send };
}

/** The message waits for a connection. */
function Held() {
  const t = useText();
  return (
    <p className="composer-held small warn" role="status">
      {t.composer.held}
    </p>
  );
}
