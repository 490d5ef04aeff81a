export { fitTitle } from './sessions/fit-title.ts';
export {
  openSessionStates,
  type ListedState,
  type SessionState,
  type SessionStateName,
  type SessionStates,
  type WaitingFor,
} from '@klaus/adapters/session-states';
