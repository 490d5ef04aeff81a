export { Supervisor, type SupervisorOptions } from './supervisor.ts';
export { SupervisorError, type SupervisorErrorKind } from './supervisor-error.ts';
export { openTerminal } from '../wrap/terminal.ts';
