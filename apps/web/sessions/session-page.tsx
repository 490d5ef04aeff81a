import { headOf } from '@klaus/core/cut-text';
import type { Conversation } from '@klaus/core/conversation';
import type { Effort, Mode, Part } from '@klaus/core/protocol';
import { BUILT_IN_AGENT, type SessionView } from '@klaus/server/contract';
import { CircleQuestionMark } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { attempt, trySend } from '../actions/attempt.ts';
import { copyText } from '../actions/copy-text.ts';
import { useSignal } from '../actions/use-signal.ts';
import { useSeen } from '../actions/use-seen.ts';
import { useStop } from '../actions/use-stop.ts';
import { Composer } from '../composer/composer.tsx';
import { PlanPanel } from '../plan/plan-panel.tsx';
import { ProcessPanel } from '../processes/process-panel.tsx';
import { ConversationList } from '../conversation/conversation-list.tsx';
import { WaitNotice } from '../conversation/waiting-view.tsx';
import { SessionAbove } from '../children/session-above.tsx';
import { useAsking } from '../children/use-asking.ts';
import { openSessionLog, type SessionLog, type SessionState } from '../log/session-log.ts';
import { toQuestionTitle } from '../review/question-title.ts';
import { visibleQuestions } from '../review/visible-questions.ts';
import { client } from '../state/client.ts';
import { chooseMode, host, nameOf, sessionOf, visit } from '../state/host.ts';
import { go, TABS, toHash, toSession, type Route, type Tab } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { ErrorBoundary } from '../shell/error-boundary.tsx';
import { BackButton } from '../ui/back-button.tsx';
import { Button } from '../ui/button.tsx';
import { Empty, Loading } from '../ui/empty.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { StateMark } from '../ui/state-mark.tsx';
import { SessionMenu } from './session-menu.tsx';
import { SessionTitle } from './session-title.tsx';
import { StatusBar } from './status-bar.tsx';
import { TodoPanel } from './todo-panel.tsx';
import './session-page.css';

const LOADING = <Loading rows={10} />;
const ChangesView = lazyComponent(async () => (await import('../changes/changes-view.tsx')).ChangesView, LOADING);
const FilesView = lazyComponent(async () => (await import('../files/files-view.tsx')).FilesView, LOADING);
const GateView = lazyComponent(async () => (await import('../gate/gate-view.tsx')).GateView, LOADING);

export function SessionPage({ id, route }: { id: string; route: Extract<Route, { page: 'session' }> }) {
  const [log, setLog] = useState<SessionLog | undefined>();
  useEffect(() => {
    const opened = openSessionLog(id, route.seq === undefined);
    setLog(opened);
    return () => opened.close();
  }, [id]);
  return log ? <Opened log={log} id={id} route={route} /> : <Loading />;
}

function Opened({ log, id, route }: { log: SessionLog; id: string; route: Extract<Route, { page: 'session' }> }) {
  const t = useText();
  const state = useStore(log);
  const known = useStore(host);
  const session = sessionOf(known, id);
  useSeen(id, state);
  const isMissing = !session && !known.isLoading;
  useEffect(() => {
    if (isMissing) void visit(id);
  }, [id, isMissing]);
  const { tab } = route;
  const { seq } = state.conversation;
  // Memoized, because in-flight text changes the state at every frame.
  const head = useMemo(() => <Head session={session} state={state} tab={tab} />, [session, tab, seq, state.isComplete]);
  if (state.isGone || state.link === 'refused') {
    return (
      <Empty title={t.sessions.gone} hint={t.sessions.goneHint} isPage>
        <Button onClick={() => go({ page: 'home' })}>{t.app.back}</Button>
      </Empty>
    );
  }
  return (
    <div className="pane session-page">
      {head}
      {state.conversation.parent === undefined ? null : <SessionAbove parent={state.conversation.parent} />}
      {state.trouble === undefined ? null : (
        <p className="offline" role="alert">
          {state.trouble}
        </p>
      )}
      {!state.isReady && known.asOf !== undefined ? (
        <Empty title={t.lists.offlineTitle} hint={t.lists.offlineHint} />
      ) : null}
      {state.isReady ? (
        <Body state={state} route={route} session={session} />
      ) : known.asOf === undefined ? (
        LOADING
      ) : null}
      <Announcer state={state} />
    </div>
  );
}

function Head({ session, state, tab }: { session: SessionView | undefined; state: SessionState; tab: Tab }) {
  const t = useText();
  const { conversation } = state;
  const first = conversation.entries.find((entry) => entry.kind === 'user');
  const prompt = first?.kind === 'user' ? headOf(first.text, 200) : undefined;
  const name = conversation.title || (session && nameOf(session)) || prompt || t.sessions.untitled;
  return (
    <header className="session-head line ruled">
      <BackButton />
      {session ? <StateMark state={session.state} outcome={session.outcome} /> : null}
      <SessionTitle session={conversation.session} name={name} />
      {session && session.agent !== BUILT_IN_AGENT ? (
        <span className="muted small ellipsis">{t.home.agent(session.agent)}</span>
      ) : null}
      <span className="muted small ellipsis session-folder wide" title={conversation.workspace}>
        {conversation.workspace.split('/').at(-1)}
      </span>
      <nav className="tabs" aria-label={headOf(name, 80)}>
        {TABS.map((it) => (
          <a
            key={it}
            className="line muted"
            href={toHash(toSession(conversation.session, it))}
            aria-current={it === tab ? 'page' : undefined}
          >
            {t.tabs[it]}
            {it === 'changes' && conversation.changed.size > 0 ? (
              <span className="muted number"> {conversation.changed.size}</span>
            ) : null}
          </a>
        ))}
      </nav>
      {session ? <SessionMenu session={session} /> : null}
    </header>
  );
}

interface BodyProps {
  state: SessionState;
  route: Extract<Route, { page: 'session' }>;
  session: SessionView | undefined;
}

function Body({ state, route, session }: BodyProps) {
  const t = useText();
  const { conversation } = state;
  const { tab, path, line, seq } = route;
  const { session: id, model, mode, effort } = conversation;
  const isBusy = session?.state === 'queued' || (!state.isComplete && session?.state === 'running');
  const isRunning = conversation.run !== undefined || isBusy;
  const isOnline = state.link === 'online';
  const run = conversation.run?.id;
  const { stopping, stop } = useStop({ session: id, run, isRunning, isOnline });
  const send = (parts: Part[], delivery: 'steer' | 'queue', command: string) =>
    trySend(() => client.sendPrompt({ params: { id }, body: { command, parts, delivery } }));
  const change = (body: { model?: string; effort?: Effort }) =>
    void attempt(() => client.changeSession({ params: { id }, body }));
  const changeMode = (to: Mode) =>
    void attempt(async () => {
      await client.changeSession({ params: { id }, body: { mode: to } });
      await chooseMode(to);
    });
  const scope = useMemo(() => ({ session: id }), [id]);
  const isAsked = useAsking(conversation).length > 0 || conversation.approvals.size > 0;
  const history = useMemo(
    () => conversation.entries.flatMap((entry) => (entry.kind === 'user' && entry.text !== '' ? [entry.text] : [])),
    [conversation, conversation.entries.length],
  );
  useSignal('copy-answer', () => {
    const answer = conversation.entries.findLast((entry) => entry.kind === 'model' && entry.text.trim() !== '');
    if (answer?.kind === 'model') void copyText(answer.text);
  });
  const composer = useMemo(
    () => (
      <Composer
        draft={id}
        scope={scope}
        model={model}
        mode={mode}
        effort={effort}
        isRunning={isRunning}
        isOnline={isOnline}
        stopping={stopping}
        isAsked={isAsked}
        history={history}
        onModel={(to) => change({ model: to })}
        onMode={changeMode}
        onEffort={(to) => change({ effort: to })}
        onSend={send}
        onStop={stop}
      />
    ),
    // The callbacks use only these values. Memoized, because in-flight text changes the state at every frame.
    [id, model, mode, effort, isRunning, isOnline, stopping, isAsked, history, run],
  );
  return (
    <>
      {tab === 'conversation' ? <ConversationList state={state} seq={seq} /> : null}
      <ErrorBoundary key={tab}>
        {tab === 'conversation' || state.isComplete ? null : state.isStored ? (
          <Empty title={t.lists.offlineTitle} hint={t.lists.offlineHint} />
        ) : (
          LOADING
        )}
        {tab === 'changes' && state.isComplete ? (
          <ChangesView conversation={conversation} seq={conversation.seq} path={path} />
        ) : null}
        {tab === 'files' && state.isComplete ? <FilesView conversation={conversation} path={path} line={line} /> : null}
        {tab === 'gate' && state.isComplete ? (
          <GateView session={id} workspace={conversation.workspace} seq={conversation.seq} />
        ) : null}
      </ErrorBoundary>
      {tab === 'conversation' ? (
        <>
          <PlanPanel conversation={conversation} version={conversation.seq} />
          {state.isStored ? null : <ProcessPanel conversation={conversation} version={conversation.seq} />}
          <TodoPanel list={conversation.todoList} />
          <OpenQuestions state={state} />
          {session && !state.isStored ? <WaitNotice session={session} /> : null}
          {state.isStored ? (
            <p className="session-closed muted" role="note">
              {t.lists.offlineStored}
            </p>
          ) : conversation.isClosed ? (
            <p className="session-closed muted">{t.children.closed}</p>
          ) : (
            composer
          )}
        </>
      ) : null}
      {/* Totals are incomplete until the session is loaded. */}
      {state.isComplete ? (
        <StatusBar conversation={conversation} inFlight={state.inFlight} />
      ) : (
        <footer className="status line small muted" aria-busy />
      )}
    </>
  );
}

function OpenQuestions({ state }: { state: SessionState }) {
  const t = useText();
  const { approvals, session } = state.conversation;
  const asking = useAsking(state.conversation);
  const [own] = approvals.values();
  const [below] = asking;
  const visible = useStore(visibleQuestions);
  const seq = own?.seq ?? (below && seqOfCall(state.conversation, below.child.calls[0]!));
  if (seq === undefined || (own && visible.has(own.approval))) return null;
  const title = own ? toQuestionTitle(own, t) : t.children.asks(below!.child.agent);
  const all = asking.reduce((sum, each) => sum + each.session.questions, approvals.size);
  return (
    <a className="questions in-column line" href={toHash({ page: 'session', id: session, tab: 'conversation', seq })}>
      <CircleQuestionMark size={14} />
      <span className="ellipsis">{title}</span>
      <span className="number">{t.sessions.questions(all)}</span>
    </a>
  );
}

/** Seq of an event that is shown in the row of a call; its message has rows of its own. */
function seqOfCall({ calls, entries }: Conversation, call: string): number | undefined {
  const entry = entries[calls.get(call) ?? -1];
  return entry?.kind === 'call' ? (entry.decisions[0]?.seq ?? entry.seq) : undefined;
}

function Announcer({ state }: { state: SessionState }) {
  const t = useText();
  const { conversation, isComplete } = state;
  const asking = useAsking(conversation);
  const isFirst = useRef(true);
  const [own] = conversation.approvals.values();
  const question = own ? toQuestionTitle(own, t) : asking[0] ? t.children.asks(asking[0].child.agent) : '';
  const [words, setWords] = useState('');
  const status =
    conversation.approvals.size > 0 || asking.length > 0
      ? 'asked'
      : conversation.run
        ? 'running'
        : (conversation.lastOutcome ?? '');
  useEffect(() => {
    if (!isComplete) return;
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    if (status === 'asked') setWords(t.conversation.live.needsYou(question));
    else if (status === 'running') setWords(t.conversation.live.running);
    else if (status !== '') setWords(t.conversation.live.finished(t.facts.outcome[status]));
  }, [status, question, isComplete]);
  return (
    <p className="unseen" role="status" aria-live="polite">
      {words}
    </p>
  );
}
