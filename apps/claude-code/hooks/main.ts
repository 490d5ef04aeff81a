export { parseHookEvent, type HookEvent } from './hook-event.ts';
