export {
  openSessionStates,
  type SessionState,
  type SessionStateName,
  type SessionStates,
  type WaitingFor,
} from '@klaus/adapters/session-states';
