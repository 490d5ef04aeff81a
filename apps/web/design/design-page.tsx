import type { SessionState } from '@klaus/server/contract';
import { Check, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { TerminalOutput } from '../ansi/terminal-output.tsx';
import { CallCard } from '../conversation/call-card.tsx';
import { DiffText } from '../diff/diff-text.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { CallApproval } from '../review/call-approval.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Empty, Failed, Loading } from '../ui/empty.tsx';
import { StateMark } from '../ui/state-mark.tsx';
import { ANSWER, CALLS, DIFF, OUTPUT, QUESTION } from './samples.ts';
import './design.css';

const STATES: readonly SessionState[] = ['needs-you', 'running', 'queued', 'interrupted', 'failed', 'done', 'idle'];
const COLORS = 'surface surface-side surface-raised surface-sunken hover selected line line-strong'.split(' ');
const MEANINGS = ['accent', 'good', 'warn', 'bad'];
const SIZES = ['xxl', 'xl', 'l', 'p', 'm', 's'];

/** Every component in every state, for designers and for the tests that look at them. Its texts are English. */
export function DesignPage() {
  return (
    <div className="design pane" lang="en">
      <header className="pane-head line ruled">
        <h1>Components</h1>
      </header>
      <div className="rows">
        <div className="in-column design-parts">
          <Part title="Type">
            {SIZES.map((size) => (
              <p key={size} style={{ fontSize: `var(--text-${size})`, lineHeight: 1.5 }}>
                An agent engine in which every action passes one gate <code>--text-{size}</code>
              </p>
            ))}
          </Part>
          <Part title="Colour">
            <ul className="design-colors">
              {COLORS.map((name) => (
                <li key={name} className="line small">
                  <span className="design-color" style={{ background: `var(--${name})` }} /> {name}
                </li>
              ))}
            </ul>
            <ul className="design-colors">
              {MEANINGS.map((name) => (
                <li key={name} className={`line small ${name}`}>
                  <span className="design-color" style={{ background: `var(--${name}-soft)` }} /> {name}
                </li>
              ))}
            </ul>
          </Part>
          <Part title="Buttons">
            <Buttons />
            <Buttons disabled />
          </Part>
          <Fields />
          <Part title="States of a session">
            <p className="line">
              {STATES.map((state) => (
                <StateMark key={state} state={state} />
              ))}
              {(['cancelled', 'denied', 'limit'] as const).map((outcome) => (
                <StateMark key={outcome} state="failed" outcome={outcome} />
              ))}
            </p>
            <p className="line">
              <span className="chip">chip</span>
              <span className="verdict verdict-allow">allow</span>
              <span className="verdict verdict-ask">ask</span>
              <span className="verdict verdict-deny">deny</span>
            </p>
          </Part>
          <Part title="Calls">
            {CALLS.map((call) => (
              <CallCard key={call.id} call={call} session="" progress={undefined} isUndone={false} />
            ))}
          </Part>
          <Part title="Question">
            <CallApproval asked={QUESTION} />
          </Part>
          <Part title="Answer">
            <Markdown text={ANSWER} isGrowing={false} />
          </Part>
          <Part title="Output and changes">
            <TerminalOutput text={OUTPUT} label="Output" />
            <DiffText diff={DIFF} />
          </Part>
          <Part title="Empty, loading, failed">
            <Empty icon={<Check size={20} />} title="Nothing here yet" hint="A hint says how to begin.">
              <Button>Begin</Button>
            </Empty>
            <Loading />
            <Failed title="The list failed to load." error={new Error('The server is busy.')} retry={() => {}} />
          </Part>
        </div>
      </div>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="design-part column" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Buttons({ disabled = false }: { disabled?: boolean }) {
  return (
    <p className="line">
      {(['primary', 'plain', 'quiet', 'danger'] as const).map((variant) => (
        <Button key={variant} variant={variant} disabled={disabled} keys="a">
          {variant}
        </Button>
      ))}
      <IconButton label="Delete" icon={Trash2} disabled={disabled} />
      <IconButton label="Selected" icon={Check} aria-pressed disabled={disabled} />
    </p>
  );
}

function Fields() {
  return (
    <Part title="Fields">
      <input className="field" aria-label="Text" placeholder="A placeholder" />
      <input className="field" aria-label="Invalid text" aria-invalid defaultValue="An invalid value" />
      <select className="field" aria-label="Choice">
        <option>A choice</option>
      </select>
      <label className="check line">
        <input type="checkbox" defaultChecked /> A checked box
      </label>
      <div className="segments" role="group" aria-label="Segments">
        <button type="button" aria-pressed="true">
          One
        </button>
        <button type="button" aria-pressed="false">
          Two
        </button>
      </div>
    </Part>
  );
}
