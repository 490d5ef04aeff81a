import {
  findInputProblem,
  toInputDefaults,
  toInputValue,
  type EventOf,
  type InputContent,
  type InputField,
  type InputQuestion,
} from '@klaus/core/protocol';
import { useId, useState } from 'react';
import { formatAgo } from '../text/format.ts';
import { toReasonText } from '../text/run/reason-text.ts';
import { useText } from '../text/text.ts';
import { useNow } from '../ui/use-now.ts';
import { useSavedState } from '../ui/use-saved-state.ts';
import { AnswerButtons } from './answer-buttons.tsx';
import { answerApproval } from './answer.ts';
import { Chain } from './chain.tsx';
import { AnswerLetters, QuestionCard } from './question-card.tsx';
import { toQuestionTitle } from './question-title.ts';
import './approval.css';

interface InputApprovalProps {
  asked: EventOf<'approval.asked'>;
  question: InputQuestion;
}

/** A question of a running tool, with the fields of its form. */
export function InputApproval({ asked, question }: InputApprovalProps) {
  const t = useText();
  const now = useNow();
  const id = useId();
  const { approval, reason, expiresAt } = asked;
  const { message, fields, url, host } = question;
  const [content, setContent] = useSavedState<InputContent>(`input ${approval}`, toInputDefaults(fields));
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const change = (field: InputField, text: string): void => {
    const { [field.name]: _, ...others } = content;
    setProblem(undefined);
    setContent(text === '' ? others : { ...others, [field.name]: toInputValue(field, text) });
  };
  const reply = async (answer: 'approved' | 'rejected') => {
    const found = answer === 'approved' ? findInputProblem(fields, content) : undefined;
    setProblem(found);
    if (found !== undefined) return;
    setSending(true);
    await answerApproval(approval, { answer, ...(answer === 'approved' && fields.length > 0 ? { content } : {}) });
    setSending(false);
  };
  return (
    <QuestionCard labelledBy={`${id}-title`}>
      <Chain asked={asked} />
      <h3 id={`${id}-title`} className="approval-title">
        {toQuestionTitle(asked, t)}
      </h3>
      <p className="wrap">{message}</p>
      <p className="muted" title={t.approval.expires(formatAgo(expiresAt, now))}>
        {toReasonText(reason, t)}
      </p>
      {host === undefined ? null : (
        <p className="wrap">
          <strong>{host}</strong>
        </p>
      )}
      {url === undefined ? null : (
        <p className="wrap">
          <a href={url} target="_blank" rel="noreferrer noopener">
            {url}
          </a>
        </p>
      )}
      {fields.map((field) => (
        <Field key={field.name} field={field} value={content[field.name]} onChange={(text) => change(field, text)} />
      ))}
      {problem === undefined ? null : (
        <p className="bad" role="alert">
          {problem}
        </p>
      )}
      <div className="approval-foot line">
        <AnswerButtons isSending={isSending} onAnswer={(answer) => void reply(answer)} />
      </div>
      <AnswerLetters />
    </QuestionCard>
  );
}

interface FieldProps {
  field: InputField;
  value: InputContent[string] | undefined;
  onChange: (text: string) => void;
}

function Field({ field, value, onChange }: FieldProps) {
  const t = useText();
  const { title, description, required } = field;
  return (
    <label className="approval-note column">
      <span className="muted">
        {title}
        {required ? ` (${t.approval.required})` : ''}
        {description === undefined ? '' : `: ${description}`}
      </span>
      <Control field={field} value={value} onChange={onChange} />
    </label>
  );
}

function Control({ field, value, onChange }: FieldProps) {
  const t = useText();
  const { name, type, required, options = [], format } = field;
  if (type === 'boolean' || type === 'choice') {
    const choices =
      type === 'choice' ? options : (['true', 'false'] as const).map((it) => ({ value: it, title: t.approval[it] }));
    return (
      <select
        className="field"
        data-field={name}
        required={required}
        value={value === undefined ? '' : String(value)}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="" />
        {choices.map((option) => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'choices') {
    return (
      <select
        className="field"
        data-field={name}
        multiple
        required={required}
        value={Array.isArray(value) ? value : []}
        onChange={(event) => onChange([...event.target.selectedOptions].map((option) => option.value).join(','))}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      className="field"
      data-field={name}
      required={required}
      type={format === 'date' ? 'date' : 'text'}
      inputMode={type === 'text' ? 'text' : 'decimal'}
      maxLength={type === 'text' ? (field.max ?? 20_000) : 100}
      value={value === undefined ? '' : String(value)}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
